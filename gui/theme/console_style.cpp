#include "gui/theme/console_style.h"

#include <QPainter>
#include <QPainterPath>
#include <QStyleFactory>
#include <QStyleOption>
#include <QWidget>

#include <algorithm>

namespace restante::gui {

namespace {

QColor outlineColor(const QStyleOption& option)
{
    const bool enabled = (option.state & QStyle::State_Enabled) != 0;
    const bool focused = (option.state & QStyle::State_HasFocus) != 0;
    if (focused && enabled) {
        return option.palette.color(QPalette::Highlight);
    }
    return option.palette.color(enabled ? QPalette::Active : QPalette::Disabled,
                                QPalette::PlaceholderText);
}

QRectF squareIn(const QRect& rect)
{
    const auto side = std::min(rect.width(), rect.height()) - 2;
    QRectF square(0, 0, side, side);
    square.moveCenter(QRectF(rect).center());
    return square;
}

QColor fillColor(const QStyleOption& option, bool marked)
{
    const bool enabled = (option.state & QStyle::State_Enabled) != 0;
    return option.palette.color(enabled ? QPalette::Active : QPalette::Disabled,
                                marked ? QPalette::Highlight : QPalette::Base);
}

void drawCheckBox(const QStyleOption& option, QPainter& painter)
{
    const auto box = squareIn(option.rect);
    const bool on = (option.state & QStyle::State_On) != 0;
    const bool partly = (option.state & QStyle::State_NoChange) != 0;
    painter.setPen(QPen(on || partly ? fillColor(option, true) : outlineColor(option), 1.2));
    painter.setBrush(fillColor(option, on || partly));
    painter.drawRoundedRect(box, 2.5, 2.5);
    QPen pen(option.palette.color(QPalette::HighlightedText), box.width() / 7.0);
    pen.setCapStyle(Qt::RoundCap);
    painter.setPen(pen);
    const auto at = [&](qreal x, qreal y) {
        return QPointF(box.left() + box.width() * x, box.top() + box.height() * y);
    };
    if (partly) {
        painter.drawLine(at(0.25, 0.5), at(0.75, 0.5));
    } else if (on) {
        const QPointF mark[]{at(0.22, 0.53), at(0.43, 0.73), at(0.79, 0.29)};
        painter.drawPolyline(mark, 3);
    }
}

void drawRadioButton(const QStyleOption& option, QPainter& painter)
{
    const auto box = squareIn(option.rect);
    const bool on = (option.state & QStyle::State_On) != 0;
    painter.setPen(QPen(on ? fillColor(option, true) : outlineColor(option), 1.2));
    painter.setBrush(fillColor(option, on));
    painter.drawEllipse(box);
    if (on) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(option.palette.color(QPalette::HighlightedText));
        painter.drawEllipse(box.center(), box.width() / 5.0, box.width() / 5.0);
    }
}

void drawFrame(const QStyleOption& option, QPainter& painter)
{
    painter.setPen(QPen(outlineColor(option), 1.0));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 2.5, 2.5);
}

}  // namespace

ConsoleStyle::ConsoleStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void ConsoleStyle::drawPrimitive(PrimitiveElement element,
                                 const QStyleOption* option,
                                 QPainter* painter,
                                 const QWidget* widget) const
{
    const auto draw = [&](void (*drawElement)(const QStyleOption&, QPainter&)) {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        drawElement(*option, *painter);
        painter->restore();
    };
    switch (element) {
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck: draw(&drawCheckBox); break;
    case PE_IndicatorRadioButton: draw(&drawRadioButton); break;
    case PE_FrameLineEdit: draw(&drawFrame); break;
    default: QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void ConsoleStyle::drawControl(ControlElement element,
                               const QStyleOption* option,
                               QPainter* painter,
                               const QWidget* widget) const
{
    const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
    constexpr auto kSelected = QStyle::State_Selected | QStyle::State_Enabled;
    if (element == CE_MenuItem && item != nullptr && !item->icon.isNull() &&
        (item->state & kSelected) == kSelected) {
        auto selected = *item;
        const auto side = pixelMetric(PM_SmallIconSize, option, widget);
        const auto ratio = widget == nullptr ? 1.0 : widget->devicePixelRatioF();
        selected.icon = QIcon(item->icon.pixmap(QSize(side, side), ratio, QIcon::Selected));
        return QProxyStyle::drawControl(element, &selected, painter, widget);
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

int ConsoleStyle::pixelMetric(PixelMetric metric,
                              const QStyleOption* option,
                              const QWidget* widget) const
{
    const auto standard = QProxyStyle::pixelMetric(metric, option, widget);
    // Else a number at the end of its column touches the text that begins the next.
    constexpr int kExtraMargin = 3;
    return metric == PM_FocusFrameHMargin || metric == PM_HeaderMargin ? standard + kExtraMargin
                                                                       : standard;
}

}  // namespace restante::gui
