#pragma once

#include "tests/gui/support/dialog_object.h"

#include <QLineEdit>

namespace restante::gui::test {

class PauseDialogObject : public DialogObject {
public:
    using DialogObject::DialogObject;

    QLineEdit* reason() const { return named<QLineEdit>("reason"); }
    /// Pauses the topic for this reason.
    void pause(const QString& text) const
    {
        reason()->setText(text);
        accept()->click();
    }
};

}  // namespace restante::gui::test
