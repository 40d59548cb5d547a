#pragma once

#include "tests/gui/support/dialog_object.h"

#include <QFileDialog>
#include <QLineEdit>
#include <QPlainTextEdit>

namespace restante::gui::test {

class JobDialogObject : public DialogObject {
public:
    using DialogObject::DialogObject;

    QLineEdit* topic() const { return named<QLineEdit>("topic"); }
    QLineEdit* expires() const { return named<QLineEdit>("expires"); }
    QPlainTextEdit* headers() const { return named<QPlainTextEdit>("headers"); }
    QPlainTextEdit* body() const { return named<QPlainTextEdit>("body"); }
    /// Presses the button that loads a body; the dialog that asks for the file.
    QFileDialog* loadBody() const
    {
        saying<QPushButton>("Load")->click();
        return named<QFileDialog>("loadBodyDialog");
    }
};

}  // namespace restante::gui::test
