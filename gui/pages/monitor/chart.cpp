#include "gui/pages/monitor/chart.h"

#include "gui/theme/table_style.h"
#include "gui/theme/time_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

namespace restante::gui {

namespace {

constexpr int kMaxTicks = 4;
constexpr Millis kDay{86'400'000};
/// Pixels that a press may move before it is a drag, and that a mark is wider for its tool tip.
constexpr double kDragThreshold = 4;
/// The fraction of the axis that one step of the wheel or a key zooms to, and by which a key pans.
constexpr double kZoomFactor = 0.7;
constexpr int kPanDivisor = 4;
/// Eighths of a degree in a notch of the wheel.
constexpr double kWheelNotch = 120;

/// Begin and end of each run of steps for which `has` is true.
template <class Has>
std::vector<std::pair<std::size_t, std::size_t>> runsOf(std::size_t steps, Has has)
{
    std::vector<std::pair<std::size_t, std::size_t>> runs;
    for (std::size_t step = 0; step < steps; ++step) {
        if (!has(step)) {
            continue;
        }
        if (runs.empty() || runs.back().second != step) {
            runs.emplace_back(step, step);
        }
        runs.back().second = step + 1;
    }
    return runs;
}

std::vector<double> ticksUpTo(double highest, double step)
{
    std::vector<double> ticks{0};
    while (ticks.back() < highest) {
        ticks.push_back(step * static_cast<double>(ticks.size()));
    }
    return ticks;
}

/// Round numbers of seconds for ticks.
constexpr std::array<std::int64_t, 23> kRoundSeconds{
    1,      2,      5,       10,      15,        30,        60,       120,
    300,    600,    900,     1'800,   3'600,     7'200,     10'800,   21'600,
    43'200, 86'400, 172'800, 604'800, 1'209'600, 2'592'000, 7'776'000};

/// Below 10 s with a tenth: otherwise ticks between two seconds would have the same label.
QString latenessText(Millis duration)
{
    const auto ms = duration.count();
    return ms > 1'000 && ms < 10'000 && ms % 1'000 != 0
               ? QCoreApplication::translate("TimeText", "%1 s")
                     .arg(QLocale().toString(static_cast<double>(ms) / 1'000, 'f', 1))
               : TimeText::duration(duration);
}

}  // namespace

std::vector<double> valueTicks(double highest, int maxTicks)
{
    const auto top = highest > 0 ? highest : 1.0;
    auto power = std::pow(10.0, std::floor(std::log10(top / maxTicks)));
    for (;; power *= 10) {
        for (const auto digit : {1.0, 2.0, 5.0}) {
            if (std::ceil(top / (digit * power) - 1e-9) <= maxTicks) {
                return ticksUpTo(top * (1 - 1e-9), digit * power);
            }
        }
    }
}

std::vector<double> durationTicks(double highest, int maxTicks)
{
    if (highest <= 1'000.0 * maxTicks) {
        return valueTicks(std::max(highest, 1.0), maxTicks);
    }
    for (const auto seconds : kRoundSeconds) {
        const auto step = static_cast<double>(seconds) * 1'000.0;
        if (std::ceil(highest / step) <= maxTicks) {
            return ticksUpTo(highest, step);
        }
    }
    return valueTicks(highest, maxTicks);
}

std::vector<TimePoint> timeTicks(TimePoint from, TimePoint to, int maxTicks, Millis offset)
{
    const auto span = (to - from).count();
    std::vector<TimePoint> ticks;
    for (const auto seconds : kRoundSeconds) {
        const auto step = seconds * 1'000;
        if (span / step >= maxTicks) {
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
    // Of all lines, so that hiding one does not change the unit in the table.
    double maximum = 0;
    for (const auto& line : content_.lines) {
        for (const auto& value : line.values) {
            maximum = std::max(maximum, value.value_or(0));
        }
    }
    rateUnit_ = rateUnitOf(maximum);
    updateTicks();
}

void Chart::setShown(std::size_t line, bool shown)
{
    content_.lines[line].shown = shown;
    updateTicks();
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

void Chart::setAxisLabelsVisible(bool visible)
{
    axisLabelsVisible_ = visible;
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
    case Unit::Duration: return latenessText(Millis{std::llround(*value)});
    }
    return {};
}

QString Chart::timeLabel(TimePoint at) const
{
    const auto local = QDateTime::fromMSecsSinceEpoch(at.time_since_epoch().count(), zone_);
    constexpr Millis kSecondsBelow{600'000};  // where ticks are closer than a minute
    return local.toString(length() > kDay * 2        ? QStringLiteral("MM-dd")
                          : length() < kSecondsBelow ? QStringLiteral("HH:mm:ss")
                                                     : QStringLiteral("HH:mm"));
}

QSize Chart::sizeHint() const
{
    return {fontMetrics().averageCharWidth() * 100, fontMetrics().height() * 9};
}

QSize Chart::minimumSizeHint() const
{
    return {fontMetrics().averageCharWidth() * 40, fontMetrics().height() * 5};
}

QRectF Chart::plotArea() const
{
    const auto lineHeight = fontMetrics().height();
    const auto left =
        fontMetrics().horizontalAdvance(QStringLiteral("00 min 00 s")) + lineHeight / 2;
    const auto below = axisLabelsVisible_ ? lineHeight * 1.5 : lineHeight * 0.5;
    return QRectF(rect()).adjusted(left, lineHeight * 0.5, -lineHeight, -below);
}

double Chart::xOf(double step) const
{
    const auto area = plotArea();
    return area.left() + area.width() * step / std::max<double>(1, double(content_.steps));
}

double Chart::yOf(double value) const
{
    const auto area = plotArea();
    return area.bottom() - area.height() * value / ticks_.back();
}

double Chart::highestValue() const
{
    double maximum = 0;
    for (std::size_t at = 0; at < content_.steps; ++at) {
        double top = 0;
        for (const auto& line : content_.lines) {
            if (line.shown) {
                const auto value = line.values[at].value_or(0);
                top = form_ == Form::Stacked ? top + value : std::max(top, value);
            }
        }
        maximum = std::max(maximum, top);
    }
    return maximum;
}

bool Chart::hasValues(std::size_t step) const
{
    return std::any_of(content_.lines.begin(), content_.lines.end(),
                       [step](const ChartLine& line) { return line.values[step].has_value(); });
}

void Chart::updateTicks()
{
    // A lateness below a second is not drawn full height.
    ticks_ = unit_ == Unit::Duration ? durationTicks(std::max(highestValue(), 1'000.0), kMaxTicks)
                                     : valueTicks(highestValue(), kMaxTicks);
    if (unit_ == Unit::JobsPerSecond) {
        const auto seconds = secondsPerUnit(rateUnit_);
        ticks_ =
            valueTicks(highestValue() * seconds, kMaxTicks);  // round in the unit of the labels
        std::transform(ticks_.begin(), ticks_.end(), ticks_.begin(),
                       [seconds](double tick) { return tick / seconds; });
    }
    if (unit_ == Unit::Jobs && ticks_.size() > 1 && ticks_[1] < 1) {
        ticks_ = ticksUpTo(std::max(highestValue(), 1.0), 1);  // there is no half job
    }
    update();
}

double Chart::xOf(TimePoint at) const
{
    return xOf(double((at - content_.begin).count()) / double(content_.stepLength.count()));
}

TimePoint Chart::timeAt(double x) const
{
    const auto area = plotArea();
    const auto fraction = std::clamp((x - area.left()) / std::max(1.0, area.width()), 0.0, 1.0);
    return content_.begin + Millis{std::llround(fraction * double(length().count()))};
}

void Chart::setMarks(std::vector<ChartMark> marks)
{
    marks_ = std::move(marks);
    update();
}

std::vector<ChartMark> Chart::marksAt(std::size_t step) const
{
    std::vector<ChartMark> marks;
    std::copy_if(marks_.begin(), marks_.end(), std::back_inserter(marks),
                 [&](const ChartMark& mark) {
                     return content_.at(step) <= mark.at && mark.at < content_.at(step + 1);
                 });
    return marks;
}

void Chart::setBand(const Band& band)
{
    if (band_ != band) {
        band_ = band;
        update();
    }
}

void Chart::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    paint(painter);
    if (hasFocus()) {
        painter.setPen(QPen(palette().highlight(), 1));
        painter.drawRect(plotArea());
    }
}

void Chart::paint(QPainter& painter) const
{
    painter.setFont(font());
    painter.fillRect(plotArea(), palette().base());
    drawGaps(painter);
    drawGrid(painter);
    painter.save();
    painter.setClipRect(plotArea().adjusted(-1, -2, 1, 1));
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
    drawMarks(painter);
    drawCursor(painter);
    drawBand(painter);
    painter.restore();
}

/// Draws a line with a flag, which no line of the chart resembles.
void Chart::drawMarks(QPainter& painter) const
{
    const auto side = fontMetrics().height() / 2.0;
    for (const auto& mark : marks_) {
        const auto x = xOf(mark.at);
        if (x < plotArea().left() || x > plotArea().right()) {
            continue;
        }
        const auto foreground = palette().color(QPalette::Text);
        painter.setPen(QPen(foreground, 1, Qt::DashDotLine));
        painter.drawLine(QPointF(x, plotArea().top()), QPointF(x, plotArea().bottom()));
        painter.setPen(Qt::NoPen);
        painter.setBrush(foreground);
        painter.drawPolygon(QPolygonF{{x, plotArea().top()},
                                      {x + side, plotArea().top() + side / 2},
                                      {x, plotArea().top() + side}});
    }
}

void Chart::drawBand(QPainter& painter) const
{
    if (!band_) {
        return;
    }
    auto fill = palette().color(QPalette::Highlight);
    painter.setPen(QPen(fill, 1));
    fill.setAlphaF(0.2F);
    painter.setBrush(fill);
    painter.drawRect(QRectF(QPointF(xOf(band_->first), plotArea().top()),
                            QPointF(xOf(band_->second), plotArea().bottom()))
                         .normalized());
}

void Chart::drawGaps(QPainter& painter) const
{
    const auto unknownRuns =
        runsOf(content_.steps, [this](std::size_t step) { return !hasValues(step); });
    for (const auto& [from, to] : unknownRuns) {
        const QRectF area(QPointF(xOf(double(from)), plotArea().top()),
                          QPointF(xOf(double(to)), plotArea().bottom()));
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
    const auto area = plotArea();
    const auto foreground = palette().color(QPalette::WindowText);
    const QPen grid(palette().color(QPalette::Mid), 0, Qt::DotLine);
    for (const auto tick : ticks_) {
        const auto y = yOf(tick);
        painter.setPen(grid);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(foreground);
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
    const auto maxTimeTicks = std::clamp(static_cast<int>(area.width() / (width * 1.5)), 2, 12);
    const auto begin = QDateTime::fromMSecsSinceEpoch(toEpochMs(content_.begin), zone_);
    for (const auto tick :
         timeTicks(content_.begin, end, maxTimeTicks, Millis{begin.offsetFromUtc() * 1'000})) {
        const auto x =
            xOf(double((tick - content_.begin).count()) / double(content_.stepLength.count()));
        painter.setPen(grid);
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        if (axisLabelsVisible_) {
            painter.setPen(foreground);
            const auto text = timeLabel(tick);
            const auto half = fontMetrics().horizontalAdvance(text) / 2.0;
            const auto middle = std::min(x, this->width() - half);  // not beyond the edge
            const QRectF label(middle - width, area.bottom() + 2, width * 2,
                               fontMetrics().height());
            painter.drawText(label, Qt::AlignCenter, text);
        }
    }
}

void Chart::drawLine(QPainter& painter, const ChartLine& line) const
{
    painter.setPen(QPen(line.color, 1.6, line.pen, Qt::RoundCap, Qt::RoundJoin));
    const auto knownRuns =
        runsOf(content_.steps, [&line](std::size_t step) { return line.values[step].has_value(); });
    for (const auto& [from, to] : knownRuns) {
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
    const auto knownRuns =
        runsOf(content_.steps, [this](std::size_t step) { return hasValues(step); });
    for (const auto& line : content_.lines) {
        if (!line.shown) {
            continue;
        }
        auto above = below;
        for (std::size_t at = 0; at < content_.steps; ++at) {
            above[at] += line.values[at].value_or(0);
        }
        for (const auto& [from, to] : knownRuns) {
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
    painter.drawLine(QPointF(x, plotArea().top()), QPointF(x, plotArea().bottom()));
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

void Chart::moveBand(const Band& band)
{
    setBand(band);
    emit bandMoved(band);
}

void Chart::cancelDragAndBand()
{
    drag_ = Drag::None;
    bandStart_.reset();
    unsetCursor();
    if (band_) {
        moveBand({});
    }
}

bool Chart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* help = static_cast<QHelpEvent*>(event);
    QStringList texts;
    for (const auto& mark : marks_) {
        if (std::abs(xOf(mark.at) - help->pos().x()) <= kDragThreshold) {
            texts.append(mark.text);
        }
    }
    QToolTip::showText(help->globalPos(), literalTip(texts.join(u'\n')), this);
    return true;
}

void Chart::mousePressEvent(QMouseEvent* event)
{
    const auto at = event->position();
    if (event->button() != Qt::LeftButton || content_.steps == 0 || !plotArea().contains(at)) {
        return QWidget::mousePressEvent(event);
    }
    drag_ = (event->modifiers() & Qt::ShiftModifier) != 0 ? Drag::Pan : Drag::SelectRange;
    dragStartX_ = at.x();
    dragStartTime_ = timeAt(at.x());
    setCursor(drag_ == Drag::Pan ? Qt::ClosedHandCursor : Qt::CrossCursor);
}

void Chart::mouseMoveEvent(QMouseEvent* event)
{
    const auto area = plotArea();
    const auto x = event->position().x();
    if (drag_ == Drag::SelectRange) {
        if (std::abs(x - dragStartX_) > kDragThreshold) {
            moveBand(std::pair{dragStartTime_, timeAt(x)});
        }
        return;
    }
    if (drag_ == Drag::Pan) {
        const auto shiftMs =
            double(length().count()) * (dragStartX_ - x) / std::max(1.0, area.width());
        if (std::abs(x - dragStartX_) > kDragThreshold) {
            dragStartX_ = x;
            emit panRequested(Millis{std::llround(shiftMs)});
        }
        return;
    }
    const auto fraction = (x - area.left()) / std::max(1.0, area.width());
    if (content_.steps == 0 || fraction < 0 || fraction >= 1) {
        moveCursor({});
        return;
    }
    moveCursor(static_cast<std::size_t>(fraction * double(content_.steps)));
}

void Chart::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || drag_ == Drag::None) {
        return QWidget::mouseReleaseEvent(event);
    }
    const auto selection = drag_ == Drag::SelectRange ? band_ : Band();
    cancelDragAndBand();
    if (selection) {
        const auto [from, to] = std::minmax({selection->first, selection->second});
        emit rangeRequested(from, to);
    }
}

void Chart::mouseDoubleClickEvent(QMouseEvent* event)
{
    cancelDragAndBand();
    if (event->button() == Qt::LeftButton) {
        emit resetRequested();
    }
}

/// Ctrl zooms and Shift pans; without them the event is left to a surrounding scroll area.
void Chart::wheelEvent(QWheelEvent* event)
{
    // Qt swaps the axes of the wheel with Alt, some desktops with Shift.
    const auto wheelDelta =
        event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    const auto notches = double(wheelDelta) / kWheelNotch;
    const bool canZoomOrPan = content_.steps != 0 && wheelDelta != 0;
    if (canZoomOrPan && (event->modifiers() & Qt::ControlModifier) != 0) {
        emit zoomRequested(timeAt(event->position().x()), std::pow(kZoomFactor, notches));
    } else if (canZoomOrPan && (event->modifiers() & Qt::ShiftModifier) != 0) {
        emit panRequested(
            Millis{std::llround(double(length().count()) * -notches / (2 * kPanDivisor))});
    } else {
        return event->ignore();
    }
    event->accept();
}

void Chart::leaveEvent(QEvent* event)
{
    moveCursor({});
    QWidget::leaveEvent(event);
}

bool Chart::handleZoomOrPanKey(const QKeyEvent& event)
{
    const auto centre =
        cursor_ ? content_.at(*cursor_) + content_.stepLength / 2 : content_.begin + length() / 2;
    const bool withShift = (event.modifiers() & Qt::ShiftModifier) != 0;
    switch (event.key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: emit zoomRequested(centre, kZoomFactor); return true;
    case Qt::Key_Minus: emit zoomRequested(centre, 1 / kZoomFactor); return true;
    case Qt::Key_0: emit resetRequested(); return true;
    case Qt::Key_Left:
        if (withShift) {
            emit panRequested(-length() / kPanDivisor);
        }
        return withShift;
    case Qt::Key_Right:
        if (withShift) {
            emit panRequested(length() / kPanDivisor);
        }
        return withShift;
    default: return false;
    }
}

/// Escape cancels a selection, M goes to the next mark. The first Space starts a range at the
/// cursor, the second one selects it up to the cursor.
bool Chart::handleBandOrMarkKey(int key)
{
    if (key == Qt::Key_Escape && (drag_ != Drag::None || bandStart_)) {
        cancelDragAndBand();
        return true;
    }
    if (key == Qt::Key_M && !marks_.empty()) {
        moveToNextMark();
        return true;
    }
    if (key != Qt::Key_Space || !cursor_) {
        return false;
    }
    if (!bandStart_) {
        bandStart_ = content_.at(*cursor_);
        moveBand(std::pair{*bandStart_, content_.at(*cursor_ + 1)});
        return true;
    }
    const auto [from, to] = std::minmax({*bandStart_, content_.at(*cursor_)});
    cancelDragAndBand();
    emit rangeRequested(from, to + content_.stepLength);
    return true;
}

/// Moves the cursor to the next mark, and from the last one to the first.
void Chart::moveToNextMark()
{
    std::optional<std::size_t> firstStep;
    for (const auto& mark : marks_) {
        if (mark.at < content_.begin) {
            continue;
        }
        const auto step =
            static_cast<std::size_t>((mark.at - content_.begin) / content_.stepLength);
        if (step >= content_.steps) {
            continue;
        }
        firstStep = firstStep.value_or(step);
        if (!cursor_ || step > *cursor_) {
            return moveCursor(step);
        }
    }
    if (firstStep) {
        moveCursor(firstStep);
    }
}

void Chart::keyPressEvent(QKeyEvent* event)
{
    if (content_.steps == 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    if (handleZoomOrPanKey(*event) || handleBandOrMarkKey(event->key())) {
        return;
    }
    const auto last = content_.steps - 1;
    const auto at = cursor_.value_or(last);
    switch (event->key()) {
    case Qt::Key_Left: moveCursor(cursor_ ? (at == 0 ? 0 : at - 1) : last); break;
    case Qt::Key_Right: moveCursor(std::min(at + 1, last)); break;
    case Qt::Key_Home: moveCursor(0); break;
    case Qt::Key_End: moveCursor(last); break;
    default: QWidget::keyPressEvent(event); return;
    }
    if (bandStart_ && cursor_) {
        const auto [from, to] = std::minmax({*bandStart_, content_.at(*cursor_)});
        moveBand(std::pair{from, to + content_.stepLength});
    }
}

}  // namespace restante::gui
