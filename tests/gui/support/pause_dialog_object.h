#pragma once

#include "tests/gui/support/dialog_object.h"

#include <QLineEdit>

namespace restante::gui::test {

class PauseDialogObject : public DialogObject {
public:
    using DialogObject::DialogObject;

    /// Pauses the topic for this reason.
    void pause(const QString& reason) const
    {
        named<QLineEdit>("reason")->setText(reason);
        accept()->click();
    }
};

}  // namespace restante::gui::test
