#pragma once

#include "tests/gui/support/dialog_object.h"

#include <QComboBox>
#include <QLineEdit>
#include <QMessageBox>

namespace restante::gui::test {

class ExportDialogObject : public DialogObject {
public:
    using DialogObject::DialogObject;

    QLineEdit* file() const { return named<QLineEdit>("file"); }
    QComboBox* format() const { return named<QComboBox>("format"); }
    /// The question about a file that is there already, and its button that replaces it.
    QMessageBox* question() const { return named<QMessageBox>("replaceFileDialog"); }
    QAbstractButton* replace() const
    {
        QAbstractButton* found = nullptr;
        for (auto* button : question()->buttons()) {
            if (question()->buttonRole(button) == QMessageBox::DestructiveRole) {
                found = button;
            }
        }
        return required(found, "button that replaces", QStringLiteral("the question"));
    }
};

}  // namespace restante::gui::test
