#pragma once

#include "tests/gui/support/page_object.h"

#include <QLineEdit>
#include <QListWidget>

namespace restante::gui::test {

class CommandPaletteObject : public PageObject {
public:
    using PageObject::PageObject;

    QLineEdit* text() const { return named<QLineEdit>("paletteText"); }
    /// What was found for the text.
    QListWidget* found() const { return named<QListWidget>("paletteList"); }
};

}  // namespace restante::gui::test
