#pragma once

#include "tests/gui/support/page_object.h"

#include <QAbstractButton>

namespace restante::gui::test {

/// The strip of the task that ended last, alone or in the window.
class TaskStripObject : public PageObject {
public:
    using PageObject::PageObject;

    QAbstractButton* retry() const { return named<QAbstractButton>("taskRetry"); }
    QAbstractButton* undo() const { return named<QAbstractButton>("taskUndo"); }
};

}  // namespace restante::gui::test
