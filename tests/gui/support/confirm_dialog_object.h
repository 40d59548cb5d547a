#pragma once

#include "tests/gui/support/dialog_object.h"

#include <QLineEdit>

namespace restante::gui::test {

class ConfirmDialogObject : public DialogObject {
public:
    using DialogObject::DialogObject;

    QPushButton* cancel() const { return named<QPushButton>("cancelButton"); }
    QLabel* scope() const { return named<QLabel>("scope"); }
    QLabel* states() const { return named<QLabel>("states"); }
    QLineEdit* typedCount() const { return named<QLineEdit>("typedCount"); }
    QLineEdit* reason() const { return named<QLineEdit>("reason"); }
};

}  // namespace restante::gui::test
