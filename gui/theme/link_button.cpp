#include "gui/theme/link_button.h"

#include "gui/theme/table_style.h"

#include <QKeyEvent>
#include <QPainter>

#include <algorithm>

namespace restante::gui {

namespace {

/// Above and below the text, for the line that shows the focus; at its sides the text is
/// flush with what stands above it.
constexpr int kMargin = 2;
/// Of the font size of a figure to that of other texts.
constexpr double kFigureScale = 1.7;
constexpr int kMinLinkLetters = 8;

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
        font.setPointSizeF(font.pointSizeF() * kFigureScale);
        font.setWeight(QFont::DemiBold);
    }
    return font;
}

QSize LinkButton::sizeHint() const
{
    const QFontMetrics metrics(textFont());
    const auto fullWidth = metrics.horizontalAdvance(text());
    return {elided_ ? std::min(fullWidth, std::max(width(), minimumSizeHint().width())) : fullWidth,
            metrics.height() + 2 * kMargin};
}

QSize LinkButton::minimumSizeHint() const
{
    const QFontMetrics metrics(textFont());
    const auto fullWidth = metrics.horizontalAdvance(text());
    return {elided_ ? std::min(fullWidth, metrics.averageCharWidth() * kMinLinkLetters) : fullWidth,
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
    const auto textRect = rect().adjusted(0, kMargin, 0, -kMargin);
    const auto elidedText = QFontMetrics(font).elidedText(
        text(), elided_ ? Qt::ElideMiddle : Qt::ElideNone, textRect.width());
    painter.drawText(textRect, alignment_ | Qt::AlignVCenter | Qt::TextSingleLine, elidedText);
    if (hasFocus()) {
        const auto textWidth = QFontMetrics(font).horizontalAdvance(elidedText);
        const auto left = (alignment_ & Qt::AlignRight) != 0 ? width() - textWidth : 0;
        painter.fillRect(left, height() - kMargin, textWidth, kMargin,
                         palette().color(QPalette::Highlight));
    }
}

}  // namespace restante::gui
