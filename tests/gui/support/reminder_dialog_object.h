#pragma once

#include "tests/gui/support/dialog_object.h"

#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>

namespace restante::gui::test {

class ReminderDialogObject : public DialogObject {
public:
    using DialogObject::DialogObject;

    QLineEdit* to() const { return named<QLineEdit>("to"); }
    QPlainTextEdit* text() const { return named<QPlainTextEdit>("text"); }
    /// Its next times.
    QListWidget* preview() const { return named<QListWidget>("preview"); }
};

}  // namespace restante::gui::test
