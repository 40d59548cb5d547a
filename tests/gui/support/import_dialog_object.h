#pragma once

#include "tests/gui/support/dialog_object.h"

#include <QTableWidget>

namespace restante::gui::test {

class ImportDialogObject : public DialogObject {
public:
    using DialogObject::DialogObject;

    QTableWidget* problems() const { return named<QTableWidget>("problems"); }
};

}  // namespace restante::gui::test
