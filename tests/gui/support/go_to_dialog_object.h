#pragma once

#include "tests/gui/support/dialog_object.h"

#include <QLineEdit>

namespace restante::gui::test {

class GoToDialogObject : public DialogObject {
public:
    using DialogObject::DialogObject;

    /// Types an id, and asks for its job.
    void goTo(const QString& id) const
    {
        named<QLineEdit>("id")->setText(id);
        accept()->click();
    }
};

}  // namespace restante::gui::test
