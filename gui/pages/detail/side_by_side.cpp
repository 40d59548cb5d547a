#include "gui/pages/detail/side_by_side.h"

#include <QFontMetrics>
#include <QResizeEvent>

namespace restante::gui {

void SideBySide::showEvent(QShowEvent* event)
{
    fit();
    QSplitter::showEvent(event);
}

void SideBySide::resizeEvent(QResizeEvent* event)
{
    // Before it is seen it has sizes that nobody chose.
    if (isVisible()) {
        fit();
    }
    QSplitter::resizeEvent(event);
}

void SideBySide::fit()
{
    // In letters of the font: two tables of a few columns each.
    constexpr int kLettersForBoth = 85;
    const int needed = fontMetrics().averageCharWidth() * kLettersForBoth;
    const auto fitting = width() < needed ? Qt::Vertical : Qt::Horizontal;
    if (fitting != orientation()) {
        setOrientation(fitting);
    }
}

}  // namespace restante::gui
