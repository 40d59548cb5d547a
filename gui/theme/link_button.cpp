#include "gui/theme/link_button.h"

#include "gui/theme/table_style.h"

#include <QKeyEvent>
#include <QPainter>

#include <algorithm>

namespace restante::gui {

namespace {

/// Room above and below the text, where a line says that the keyboard is here: at its sides it is
/// flush with what stands above it.
constexpr int kMargin = 2;
/// Of the second size of text, and there is no third.
constexpr double kFigureSize = 1.7;
constexpr int kLeastLetters = 8;

}  // namespace

LinkButton::LinkButton(Look look, QWidget* parent) : QAbstractButton(parent), look_(look)
{
    setAttribute(Qt::WA_Hover);
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void LinkButton::setAlignment(Qt::Alignment alignment)
{
    alignment_ = alignment;
    update();
}

void LinkButton::setElided(bool elided)
{
    elided_ = elided;
    updateGeometry();
}

void LinkButton::setContent(const QString& text, const QString& name, const QString& tip)
{
    setText(text.simplified());
    setAccessibleName(name);
    setToolTip(literalTip(tip.isEmpty() ? text : tip));
    updateGeometry();
}

QFont LinkButton::textFont() const
{
    auto font = this->font();
    if (look_ == Look::Figure) {
        font.setPointSizeF(font.pointSizeF() * kFigureSize);
        font.setWeight(QFont::DemiBold);
    }
    return font;
}

QSize LinkButton::sizeHint() const
{
    const QFontMetrics metrics(textFont());
    const auto whole = metrics.horizontalAdvance(text());
    return {elided_ ? std::min(whole, std::max(width(), minimumSizeHint().width())) : whole,
            metrics.height() + 2 * kMargin};
}

QSize LinkButton::minimumSizeHint() const
{
    const QFontMetrics metrics(textFont());
    const auto whole = metrics.horizontalAdvance(text());
    return {elided_ ? std::min(whole, metrics.averageCharWidth() * kLeastLetters) : whole,
            metrics.height() + 2 * kMargin};
}

void LinkButton::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        return click();
    }
    QAbstractButton::keyPressEvent(event);
}

void LinkButton::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    auto font = textFont();
    font.setUnderline(isEnabled() && underMouse());
    painter.setFont(font);
    painter.setPen(palette().color(look_ == Look::Accent ? QPalette::Link : QPalette::WindowText));
    const auto room = rect().adjusted(0, kMargin, 0, -kMargin);
    const auto shown = QFontMetrics(font).elidedText(
        text(), elided_ ? Qt::ElideMiddle : Qt::ElideNone, room.width());
    painter.drawText(room, alignment_ | Qt::AlignVCenter | Qt::TextSingleLine, shown);
    if (hasFocus()) {
        const auto wide = QFontMetrics(font).horizontalAdvance(shown);
        const auto left = (alignment_ & Qt::AlignRight) != 0 ? width() - wide : 0;
        painter.fillRect(left, height() - kMargin, wide, kMargin,
                         palette().color(QPalette::Highlight));
    }
}

}  // namespace restante::gui
