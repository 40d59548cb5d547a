#pragma once

#include "core/base/clock.h"
#include "gui/theme/rate_text.h"

#include <QColor>
#include <QString>
#include <QTimeZone>
#include <QWidget>

#include <optional>
#include <utility>
#include <vector>

class QPainter;

namespace restante::gui {

/// One line of a chart. An empty value is a gap: no sample was taken. *Value.*
struct ChartLine {
    QString name;
    QColor color;
    Qt::PenStyle pen = Qt::SolidLine;
    bool shown = true;
    std::vector<std::optional<double>> values;  ///< one for each step
};

/// What a chart shows: steps of one length, and lines with a value for each. *Value.*
struct ChartContent {
    TimePoint begin{};  ///< of the first step
    Millis stepLength{1'000};
    std::size_t steps = 0;
    std::vector<ChartLine> lines;

    TimePoint at(std::size_t index) const { return begin + stepLength * static_cast<int>(index); }
};

/// An action of a person, marked at its time in a chart. *Value.*
struct ChartMark {
    TimePoint at{};
    QString text;  ///< who, what and when; plain text from outside
};

/// Lines or stacked areas over time, with a grid, a cursor and gaps. A table beside it has the same
/// values for accessibility. The mouse or the keys select a range; the owner handles the signals.
/// *Thread of the window.*
class Chart : public QWidget {
    Q_OBJECT

public:
    enum class Unit {
        Jobs,
        JobsPerSecond,
        Duration,  ///< ms
    };
    enum class Form { Lines, Stacked };

    Chart(Unit unit, Form form, QWidget* parent = nullptr);

    void setContent(ChartContent content);
    const ChartContent& content() const noexcept { return content_; }
    void setShown(std::size_t line, bool shown);
    /// The step below the cursor, the same on all charts of a page; none = no cursor.
    void setCursorStep(std::optional<std::size_t> step);
    std::optional<std::size_t> cursorStep() const noexcept { return cursor_; }
    void setZone(const QTimeZone& zone);
    /// Whether the times are written below the axis: only the lowest of several charts does.
    void setAxisLabelsVisible(bool visible);
    /// `marks` in the order of time.
    void setMarks(std::vector<ChartMark> marks);
    const std::vector<ChartMark>& marks() const noexcept { return marks_; }
    /// The marks within a step.
    std::vector<ChartMark> marksAt(std::size_t step) const;
    /// The range that is being selected, the same on all charts of a page; none = no selection.
    using Band = std::optional<std::pair<TimePoint, TimePoint>>;
    void setBand(const Band& band);
    const Band& band() const noexcept { return band_; }
    Unit unit() const noexcept { return unit_; }
    Form form() const noexcept { return form_; }
    /// Paints the chart without the focus frame, in the size of the widget.
    void paint(QPainter& painter) const;
    /// The x coordinate of a time, in the widget.
    double xOf(TimePoint at) const;
    /// "12.5/s", "1,204", "1 min 30 s"; "–" for a gap. All rates in the unit that fits the highest.
    QString valueText(std::optional<double> value) const;
    /// The label of a time on the axis: "20:41", with seconds when the chart spans less than ten
    /// minutes, or the date when it spans days.
    QString timeLabel(TimePoint at) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void cursorStepMoved(std::optional<std::size_t> step);
    void bandMoved(const restante::gui::Chart::Band& band);
    /// The user has selected this range; `from` is before `to`.
    void rangeRequested(restante::TimePoint from, restante::TimePoint to);
    /// Scale the axis by `factor` around that time; below 1 zooms in.
    void zoomRequested(restante::TimePoint centre, double factor);
    /// Move the axis by that much; negative = to the past.
    void panRequested(restante::Millis by);
    void resetRequested();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRectF plotArea() const;
    double xOf(double step) const;
    double yOf(double value) const;
    double highestValue() const;
    bool hasValues(std::size_t step) const;
    void updateTicks();
    void moveCursor(std::optional<std::size_t> step);
    void drawGrid(QPainter& painter) const;
    void drawGaps(QPainter& painter) const;
    void drawLine(QPainter& painter, const ChartLine& line) const;
    void drawStack(QPainter& painter) const;
    void drawCursor(QPainter& painter) const;
    void drawMarks(QPainter& painter) const;
    void drawBand(QPainter& painter) const;
    TimePoint timeAt(double x) const;
    Millis length() const { return content_.stepLength * static_cast<int>(content_.steps); }
    void moveBand(const Band& band);
    void cancelDragAndBand();
    bool handleZoomOrPanKey(const QKeyEvent& event);
    bool handleBandOrMarkKey(int key);
    void moveToNextMark();

    Unit unit_;
    Form form_;
    ChartContent content_;
    QTimeZone zone_ = QTimeZone::systemTimeZone();
    bool axisLabelsVisible_ = false;
    RateUnit rateUnit_ = RateUnit::Second;
    std::optional<std::size_t> cursor_;
    std::vector<double> ticks_{0, 1};
    std::vector<ChartMark> marks_;
    Band band_;
    enum class Drag { None, SelectRange, Pan };
    Drag drag_ = Drag::None;
    double dragStartX_ = 0;
    TimePoint dragStartTime_{};           ///< at dragStartX_ when it began
    std::optional<TimePoint> bandStart_;  ///< of a selection by keys
};

/// The values of grid lines: from 0 to a round number at or above `highest`, at most `maxTicks`
/// steps of 1, 2 or 5 times a power of ten. `highest` of 0 and below counts as 1.
std::vector<double> valueTicks(double highest, int maxTicks);

/// As valueTicks, in ms, for lengths of time: steps that are round in seconds, minutes, hours.
std::vector<double> durationTicks(double highest, int maxTicks);

/// Round moments in [from, to], at most `maxTicks`, counted in local time: full hours stay full
/// hours in a zone that is `offset` ahead of UTC.
std::vector<TimePoint> timeTicks(TimePoint from, TimePoint to, int maxTicks, Millis offset);

}  // namespace restante::gui
