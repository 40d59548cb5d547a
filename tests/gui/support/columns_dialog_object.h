#pragma once

#include "tests/gui/support/page_object.h"

#include <QListWidget>
#include <QPushButton>

namespace restante::gui::test {

class ColumnsDialogObject : public PageObject {
public:
    using PageObject::PageObject;

    QListWidget* list() const { return only<QListWidget>(); }
    QPushButton* down() const { return saying<QPushButton>("Down"); }
    QPushButton* reset() const { return saying<QPushButton>("Reset"); }
};

}  // namespace restante::gui::test
