#include "gui/pages/detail/detail_tab.h"

#include "gui/theme/icons.h"

#include <QFontMetrics>
#include <QResizeEvent>
#include <QToolButton>

namespace restante::gui {

DetailTab::DetailTab(Context context, JobWatch& watch, QWidget* parent)
    : QWidget(parent),
      context_(context),
      watch_(watch)
{
    onLanguageChange(this, [this] { retranslate(); });
}

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

QToolButton*
barButton(QWidget* parent, const char* iconName, Qt::ToolButtonStyle style, const char* name)
{
    auto* button = makeWidget<QToolButton>(name, parent);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setToolButtonStyle(style);
    if (iconName != nullptr) {
        button->setIcon(icon(QString::fromLatin1(iconName)));
    }
    return button;
}

}  // namespace restante::gui
