#pragma once

#include "tests/gui/support/page_object.h"

#include <QLabel>
#include <QPushButton>

namespace restante::gui::test {

/// What every dialog of a command has.
class DialogObject : public PageObject {
public:
    using PageObject::PageObject;

    /// The one button that does it.
    QPushButton* accept() const { return named<QPushButton>("acceptButton"); }
    QLabel* notice() const { return named<QLabel>("notice"); }
};

}  // namespace restante::gui::test
