#include "gui/theme/severity_mark.h"

#include <QPainter>

namespace restante::gui {

SeverityMark::SeverityMark(QWidget* parent) : QWidget(parent)
{
    constexpr int kSide = 12;
    setFixedSize(kSide, kSide);
}

void SeverityMark::setSeverity(Theme::Severity severity)
{
    severity_ = severity;
    update();
}

void SeverityMark::paintEvent(QPaintEvent* /*event*/)
{
    using Severity = Theme::Severity;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto foreground = Theme::foreground(severity_);
    const auto box = QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5);
    QPen pen(foreground, 2);
    pen.setCapStyle(Qt::RoundCap);
    pen.setJoinStyle(Qt::RoundJoin);
    switch (severity_) {
    case Severity::Good:
        painter.setPen(Qt::NoPen);
        painter.setBrush(foreground);
        painter.drawEllipse(box);
        break;
    case Severity::Warning: {
        pen.setWidthF(1);
        painter.setPen(pen);
        painter.setBrush(foreground);
        const QPointF corners[]{{box.center().x(), box.top()}, box.bottomRight(), box.bottomLeft()};
        painter.drawConvexPolygon(corners, 3);
        break;
    }
    case Severity::Bad:
        painter.setPen(pen);
        painter.drawLine(box.topLeft(), box.bottomRight());
        painter.drawLine(box.topRight(), box.bottomLeft());
        break;
    case Severity::Notice:
        pen.setWidthF(1.5);
        painter.setPen(pen);
        painter.drawEllipse(box);
        break;
    }
}

}  // namespace restante::gui
