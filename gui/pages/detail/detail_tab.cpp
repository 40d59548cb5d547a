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

void AdaptiveSplitter::showEvent(QShowEvent* event)
{
    updateOrientation();
    QSplitter::showEvent(event);
}

void AdaptiveSplitter::resizeEvent(QResizeEvent* event)
{
    // Sizes before the first show are arbitrary.
    if (isVisible()) {
        updateOrientation();
    }
    QSplitter::resizeEvent(event);
}

void AdaptiveSplitter::updateOrientation()
{
    // In average characters: two tables of a few columns each.
    constexpr int kMinCharsSideBySide = 85;
    const int needed = fontMetrics().averageCharWidth() * kMinCharsSideBySide;
    const auto orientationThatFits = width() < needed ? Qt::Vertical : Qt::Horizontal;
    if (orientationThatFits != orientation()) {
        setOrientation(orientationThatFits);
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
