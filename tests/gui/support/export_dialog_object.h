#pragma once

#include "tests/gui/support/dialog_object.h"

#include <QComboBox>
#include <QLineEdit>

namespace restante::gui::test {

class ExportDialogObject : public DialogObject {
public:
    using DialogObject::DialogObject;

    QLineEdit* file() const { return named<QLineEdit>("file"); }
    QComboBox* format() const { return named<QComboBox>("format"); }
};

}  // namespace restante::gui::test
