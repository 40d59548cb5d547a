#pragma once

#include "tests/gui/support/page_object.h"

#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace restante::gui::test {

class ShortcutsDialogObject : public PageObject {
public:
    using PageObject::PageObject;

    QLineEdit* search() const { return named<QLineEdit>("shortcutSearch"); }
    QKeySequenceEdit* key() const { return named<QKeySequenceEdit>("shortcutKey"); }
    QPushButton* assign() const { return named<QPushButton>("shortcutAssign"); }
    QLabel* problem() const { return named<QLabel>("shortcutProblem"); }
};

}  // namespace restante::gui::test
