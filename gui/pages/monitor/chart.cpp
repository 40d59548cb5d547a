#include "gui/pages/monitor/chart.h"

#include "gui/theme/time_text.h"

#include <QDateTime>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace restante::gui {

namespace {

constexpr int kMostTicks = 4;
constexpr Millis kDay{86'400'000};

/// Begin and end of each stretch of steps for which `has` holds.
template <class Has>
std::vector<std::pair<std::size_t, std::size_t>> stretches(std::size_t steps, Has has)
{
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t at = 0; at < steps; ++at) {
        if (!has(at)) {
            continue;
        }
        if (found.empty() || found.back().second != at) {
            found.emplace_back(at, at);
        }
        found.back().second = at + 1;
    }
    return found;
}

std::vector<double> upTo(double highest, double step)
{
    std::vector<double> ticks{0};
    while (ticks.back() < highest) {
        ticks.push_back(step * static_cast<double>(ticks.size()));
    }
    return ticks;
}

/// Seconds that people count in.
constexpr std::array<std::int64_t, 23> kRoundSeconds{
    1,      2,      5,       10,      15,        30,        60,       120,
    300,    600,    900,     1'800,   3'600,     7'200,     10'800,   21'600,
    43'200, 86'400, 172'800, 604'800, 1'209'600, 2'592'000, 7'776'000};

}  // namespace

std::vector<double> valueTicks(double highest, int most)
{
    const auto top = highest > 0 ? highest : 1.0;
    auto power = std::pow(10.0, std::floor(std::log10(top / most)));
    for (;; power *= 10) {
        for (const auto digit : {1.0, 2.0, 5.0}) {
            if (std::ceil(top / (digit * power) - 1e-9) <= most) {
                return upTo(top * (1 - 1e-9), digit * power);
            }
        }
    }
}

std::vector<double> spanTicks(double highest, int most)
{
    if (highest <= 1'000.0 * most) {
        return valueTicks(std::max(highest, 1.0), most);
    }
    for (const auto seconds : kRoundSeconds) {
        const auto step = static_cast<double>(seconds) * 1'000.0;
        if (std::ceil(highest / step) <= most) {
            return upTo(highest, step);
        }
    }
    return valueTicks(highest, most);
}

std::vector<TimePoint> timeTicks(TimePoint from, TimePoint to, int most, Millis offset)
{
    const auto span = (to - from).count();
    std::vector<TimePoint> ticks;
    for (const auto seconds : kRoundSeconds) {
        const auto step = seconds * 1'000;
        if (span / step >= most) {
            continue;
        }
        const auto local = from.time_since_epoch().count() + offset.count();
        auto at = (local + step - 1) / step * step - offset.count();
        for (; at <= to.time_since_epoch().count(); at += step) {
            ticks.push_back(TimePoint{Millis{at}});
        }
        return ticks;
    }
    return ticks;
}

Chart::Chart(Unit unit, Form form, QWidget* parent) : QWidget(parent), unit_(unit), form_(form)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void Chart::setContent(ChartContent content)
{
    content_ = std::move(content);
    if (cursor_ && *cursor_ >= content_.steps) {
        cursor_.reset();
    }
    // Of all lines, so that the table beside it need not be written anew when one is hidden.
    double most = 0;
    for (const auto& line : content_.lines) {
        for (const auto& value : line.values) {
            most = std::max(most, value.value_or(0));
        }
    }
    rateUnit_ = rateUnitOf(most);
    measure();
}

void Chart::setShown(std::size_t line, bool shown)
{
    content_.lines[line].shown = shown;
    measure();
}

void Chart::setCursorStep(std::optional<std::size_t> step)
{
    if (cursor_ != step) {
        cursor_ = step;
        update();
    }
}

void Chart::setZone(const QTimeZone& zone)
{
    zone_ = zone;
    update();
}

void Chart::setAxisWritten(bool written)
{
    axis_ = written;
    update();
}

QString Chart::valueText(std::optional<double> value) const
{
    if (!value) {
        return QStringLiteral("–");
    }
    switch (unit_) {
    case Unit::Jobs: return QLocale().toString(std::llround(*value));
    case Unit::JobsPerSecond: return rateText(*value, rateUnit_);
    case Unit::Length: return TimeText::duration(Millis{std::llround(*value)});
    }
    return {};
}

QString Chart::momentText(TimePoint at) const
{
    const auto local = QDateTime::fromMSecsSinceEpoch(at.time_since_epoch().count(), zone_);
    const bool days = content_.step * static_cast<int>(content_.steps) > kDay * 2;
    return local.toString(days ? QStringLiteral("MM-dd") : QStringLiteral("HH:mm"));
}

QSize Chart::sizeHint() const
{
    return {fontMetrics().averageCharWidth() * 100, fontMetrics().height() * 9};
}

QSize Chart::minimumSizeHint() const
{
    return {fontMetrics().averageCharWidth() * 40, fontMetrics().height() * 5};
}

QRectF Chart::plot() const
{
    const auto line = fontMetrics().height();
    const auto left = fontMetrics().horizontalAdvance(QStringLiteral("00 min 00 s")) + line / 2;
    const auto below = axis_ ? line * 1.5 : line * 0.5;
    return QRectF(rect()).adjusted(left, line * 0.5, -line, -below);
}

double Chart::xOf(double step) const
{
    const auto area = plot();
    return area.left() + area.width() * step / std::max<double>(1, double(content_.steps));
}

double Chart::yOf(double value) const
{
    const auto area = plot();
    return area.bottom() - area.height() * value / ticks_.back();
}

double Chart::highest() const
{
    double most = 0;
    for (std::size_t at = 0; at < content_.steps; ++at) {
        double sum = 0;
        for (const auto& line : content_.lines) {
            if (line.shown) {
                const auto value = line.values[at].value_or(0);
                sum = form_ == Form::Stacked ? sum + value : std::max(sum, value);
            }
        }
        most = std::max(most, sum);
    }
    return most;
}

bool Chart::watched(std::size_t step) const
{
    return std::any_of(content_.lines.begin(), content_.lines.end(),
                       [step](const ChartLine& line) { return line.values[step].has_value(); });
}

void Chart::measure()
{
    // Less than a second of lateness is none to be drawn large.
    ticks_ = unit_ == Unit::Length ? spanTicks(std::max(highest(), 1'000.0), kMostTicks)
                                   : valueTicks(highest(), kMostTicks);
    if (unit_ == Unit::JobsPerSecond) {
        const auto jobs = perUnit(rateUnit_);
        ticks_ = valueTicks(highest() * jobs, kMostTicks);  // round in what they are written in
        std::transform(ticks_.begin(), ticks_.end(), ticks_.begin(),
                       [jobs](double tick) { return tick / jobs; });
    }
    if (unit_ == Unit::Jobs && ticks_.size() > 1 && ticks_[1] < 1) {
        ticks_ = std::vector<double>{0, 1};  // there is no half job
    }
    update();
}

void Chart::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.fillRect(plot(), palette().base());
    drawGaps(painter);
    drawGrid(painter);
    painter.save();
    painter.setClipRect(plot().adjusted(-1, -2, 1, 1));
    painter.setRenderHint(QPainter::Antialiasing);
    if (form_ == Form::Stacked) {
        drawStack(painter);
    } else {
        for (const auto& line : content_.lines) {
            if (line.shown) {
                drawLine(painter, line);
            }
        }
    }
    drawCursor(painter);
    painter.restore();
    if (hasFocus()) {
        painter.setPen(QPen(palette().highlight(), 1));
        painter.drawRect(plot());
    }
}

void Chart::drawGaps(QPainter& painter) const
{
    const auto unknown =
        stretches(content_.steps, [this](std::size_t step) { return !watched(step); });
    for (const auto& [from, to] : unknown) {
        const QRectF area(QPointF(xOf(double(from)), plot().top()),
                          QPointF(xOf(double(to)), plot().bottom()));
        painter.fillRect(area, palette().window());
        const auto text = tr("not watched");
        if (painter.fontMetrics().horizontalAdvance(text) + 8 < area.width()) {
            painter.setPen(palette().color(QPalette::PlaceholderText));
            painter.drawText(area, Qt::AlignCenter, text);
        }
    }
}

void Chart::drawGrid(QPainter& painter) const
{
    const auto area = plot();
    const auto ink = palette().color(QPalette::WindowText);
    const QPen grid(palette().color(QPalette::Mid), 0, Qt::DotLine);
    for (const auto tick : ticks_) {
        const auto y = yOf(tick);
        painter.setPen(grid);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(ink);
        const QRectF label(0, y - fontMetrics().height() / 2.0,
                           area.left() - fontMetrics().height() / 2.0, fontMetrics().height());
        painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter,
                         tick == 0 ? QLocale().toString(0) : valueText(tick));
    }
    if (content_.steps == 0) {
        return;
    }
    const auto end = content_.at(content_.steps);
    const auto width = fontMetrics().horizontalAdvance(QStringLiteral("00-00  "));
    const auto most = std::clamp(static_cast<int>(area.width() / (width * 1.5)), 2, 12);
    const auto begin = QDateTime::fromMSecsSinceEpoch(toEpochMs(content_.begin), zone_);
    for (const auto tick :
         timeTicks(content_.begin, end, most, Millis{begin.offsetFromUtc() * 1'000})) {
        const auto x = xOf(double((tick - content_.begin).count()) / double(content_.step.count()));
        painter.setPen(grid);
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        if (axis_) {
            painter.setPen(ink);
            const QRectF label(x - width, area.bottom() + 2, width * 2, fontMetrics().height());
            painter.drawText(label, Qt::AlignCenter, momentText(tick));
        }
    }
}

void Chart::drawLine(QPainter& painter, const ChartLine& line) const
{
    painter.setPen(QPen(line.color, 1.6, line.pen, Qt::RoundCap, Qt::RoundJoin));
    const auto known = stretches(
        content_.steps, [&line](std::size_t step) { return line.values[step].has_value(); });
    for (const auto& [from, to] : known) {
        QPolygonF points;
        if (to - from == 1) {
            points << QPointF(xOf(double(from)), yOf(*line.values[from]))
                   << QPointF(xOf(double(to)), yOf(*line.values[from]));
        }
        for (auto at = from; at < to && to - from > 1; ++at) {
            points << QPointF(xOf(double(at) + 0.5), yOf(*line.values[at]));
        }
        painter.drawPolyline(points);
    }
}

void Chart::drawStack(QPainter& painter) const
{
    std::vector<double> below(content_.steps, 0.0);
    const auto known =
        stretches(content_.steps, [this](std::size_t step) { return watched(step); });
    for (const auto& line : content_.lines) {
        if (!line.shown) {
            continue;
        }
        auto above = below;
        for (std::size_t at = 0; at < content_.steps; ++at) {
            above[at] += line.values[at].value_or(0);
        }
        for (const auto& [from, to] : known) {
            QPolygonF top;
            QPolygonF area;
            for (auto at = from; at < to; ++at) {
                // The first and the last reach to the edges of their steps.
                const auto left = at == from ? double(at) : double(at) + 0.5;
                top << QPointF(xOf(left), yOf(above[at]));
                area << QPointF(xOf(left), yOf(below[at]));
            }
            top << QPointF(xOf(double(to)), yOf(above[to - 1]));
            area << QPointF(xOf(double(to)), yOf(below[to - 1]));
            std::reverse(area.begin(), area.end());
            auto fill = line.color;
            fill.setAlphaF(0.55F);
            painter.setPen(Qt::NoPen);
            painter.setBrush(fill);
            painter.drawPolygon(top + area);
            painter.setPen(QPen(line.color, 1.2));
            painter.drawPolyline(top);
        }
        below = std::move(above);
    }
}

void Chart::drawCursor(QPainter& painter) const
{
    if (!cursor_) {
        return;
    }
    const auto x = xOf(double(*cursor_) + 0.5);
    painter.setPen(QPen(palette().color(QPalette::Text), 1));
    painter.drawLine(QPointF(x, plot().top()), QPointF(x, plot().bottom()));
    if (form_ == Form::Stacked) {
        return;
    }
    for (const auto& line : content_.lines) {
        if (line.shown && line.values[*cursor_]) {
            painter.setBrush(line.color);
            painter.setPen(Qt::NoPen);
            painter.drawEllipse(QPointF(x, yOf(*line.values[*cursor_])), 3.0, 3.0);
        }
    }
}

void Chart::moveCursor(std::optional<std::size_t> step)
{
    if (cursor_ != step) {
        setCursorStep(step);
        emit cursorStepMoved(step);
    }
}

void Chart::mouseMoveEvent(QMouseEvent* event)
{
    const auto area = plot();
    const auto part = (event->position().x() - area.left()) / std::max(1.0, area.width());
    if (content_.steps == 0 || part < 0 || part >= 1) {
        moveCursor({});
        return;
    }
    moveCursor(static_cast<std::size_t>(part * double(content_.steps)));
}

void Chart::leaveEvent(QEvent* event)
{
    moveCursor({});
    QWidget::leaveEvent(event);
}

void Chart::keyPressEvent(QKeyEvent* event)
{
    const auto last = content_.steps - 1;
    const auto at = cursor_.value_or(last);
    if (content_.steps == 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    switch (event->key()) {
    case Qt::Key_Left: moveCursor(cursor_ ? (at == 0 ? 0 : at - 1) : last); break;
    case Qt::Key_Right: moveCursor(std::min(at + 1, last)); break;
    case Qt::Key_Home: moveCursor(0); break;
    case Qt::Key_End: moveCursor(last); break;
    default: QWidget::keyPressEvent(event);
    }
}

}  // namespace restante::gui
