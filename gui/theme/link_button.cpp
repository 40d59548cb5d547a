#include "gui/theme/link_button.h"

#include "gui/theme/table_style.h"

#include <QKeyEvent>
#include <QPainter>

#include <algorithm>

namespace restante::gui {

namespace {

/// Room around the text for the frame that says where the keyboard is.
constexpr int kAround = 2;
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
    const auto whole = metrics.horizontalAdvance(text()) + 2 * kAround;
    return {elided_ ? std::min(whole, std::max(width(), minimumSizeHint().width())) : whole,
            metrics.height() + 2 * kAround};
}

QSize LinkButton::minimumSizeHint() const
{
    const QFontMetrics metrics(textFont());
    const auto whole = metrics.horizontalAdvance(text()) + 2 * kAround;
    return {elided_ ? std::min(whole, metrics.averageCharWidth() * kLeastLetters) : whole,
            metrics.height() + 2 * kAround};
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
    const auto room = rect().adjusted(kAround, kAround, -kAround, -kAround);
    const auto shown = QFontMetrics(font).elidedText(
        text(), elided_ ? Qt::ElideMiddle : Qt::ElideNone, room.width());
    painter.drawText(room, alignment_ | Qt::AlignVCenter | Qt::TextSingleLine, shown);
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 3, 3);
    }
}

}  // namespace restante::gui
