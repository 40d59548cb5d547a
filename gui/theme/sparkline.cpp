#include "gui/theme/sparkline.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

constexpr double kLineWidth = 1.5;

}  // namespace

Sparkline::Sparkline(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void Sparkline::setValues(Values values)
{
    if (values != values_) {
        values_ = std::move(values);
        update();
    }
}

QSize Sparkline::sizeHint() const
{
    return {fontMetrics().averageCharWidth() * 20, fontMetrics().height() * 2};
}

void Sparkline::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect()).adjusted(kLineWidth, kLineWidth, -kLineWidth, -kLineWidth);
    painter.setPen(QPen(palette().color(QPalette::Mid), 1));
    painter.drawLine(box.bottomLeft(), box.bottomRight());
    double maximum = 1;  // below a whole thing there is nothing to tell apart
    for (const auto& value : values_) {
        maximum = std::max(maximum, value.value_or(0));
    }
    drawSparkline(painter, box, values_, maximum, palette().color(QPalette::Highlight));
}

void drawSparkline(QPainter& painter,
                   const QRectF& box,
                   const std::vector<std::optional<double>>& values,
                   double maximum,
                   const QColor& color)
{
    const auto steps = std::max<std::size_t>(values.size(), 2) - 1;
    const auto at = [&](std::size_t step, double value) {
        return QPointF(box.left() + box.width() * double(step) / double(steps),
                       box.bottom() - box.height() * value / maximum);
    };
    const QPen pen(color, kLineWidth, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    auto fill = color;
    fill.setAlphaF(0.12F);
    for (std::size_t begin = 0; begin < values.size(); ++begin) {
        if (!values[begin]) {
            continue;
        }
        auto end = begin;
        QPolygonF line;
        for (; end < values.size() && values[end]; ++end) {
            line.append(at(end, *values[end]));
        }
        QPainterPath area;
        area.addPolygon(line);
        area.lineTo(line.back().x(), box.bottom());
        area.lineTo(line.front().x(), box.bottom());
        area.closeSubpath();
        painter.fillPath(area, fill);
        painter.setPen(pen);
        if (line.size() == 1) {
            painter.drawPoint(line.front());
        } else {
            painter.drawPolyline(line);
        }
        begin = end;
    }
}

}  // namespace restante::gui
