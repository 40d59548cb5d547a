#pragma once

#include "gui/actions/context.h"
#include "gui/pages/monitor/chart_box.h"
#include "gui/pages/monitor/chart_image.h"
#include "gui/pages/monitor/mark_watch.h"
#include "gui/pages/monitor/monitor_model.h"
#include "gui/pages/monitor/monitor_series.h"
#include "gui/pages/monitor/monitor_watch.h"
#include "gui/pages/page.h"

#include <QToolButton>

#include <array>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QSplitter;
class QTableView;

namespace restante::gui {

class MessageBar;

/// What goes in and out, what waits, and how late it is, over time: three charts with one time axis
/// and one cursor, and the same numbers in a table below. It watches from the moment a connection
/// is open, shown or not. A stretch of time that is enlarged stays, whatever comes, until it is
/// left. *Thread of the window.*
class MonitorPage : public Page {
    Q_OBJECT

public:
    explicit MonitorPage(Context context, QWidget* parent = nullptr);

    void open(StoreSession* session) override;
    /// Takes a sample at once.
    void refresh() override;
    QWidget* firstFocus() override { return rangeButtons_[range_]; }

    /// Draws the jobs of this topic only.
    void showTopic(const QString& topic);
    /// Shows exactly that time, as far as it is not in the future and no shorter or longer than can
    /// be shown.
    void zoomTo(const TimeSpan& wanted);
    /// The axis times `factor`, around that moment.
    void zoomAround(TimePoint around, double factor);
    void pan(Millis by);
    /// Follows the store again.
    void resetZoom();
    const std::optional<TimeSpan>& zoom() const noexcept { return watch_.zoom(); }
    /// Of all charts.
    TimeSpan shownSpan() const;
    /// Looks back as far as kTimeRanges[index].
    void showRange(std::size_t index);
    std::size_t rangeIndex() const noexcept { return range_; }
    const std::vector<ChartBox*>& charts() const noexcept { return charts_; }
    const MonitorModel& table() const noexcept { return *numbers_; }
    /// Writes what the table shows as CSV, and says how that went.
    void exportTo(const QString& file);
    /// Writes a chart, or all of them, as a picture: SVG when the file is called so, else PNG.
    void exportChart(const QString& file, std::optional<std::size_t> chart);
    /// Asks for the range in a dialog.
    void askForRange();
    /// Asks where to write the chart that has the focus, or all of them.
    void askForPicture();

signals:
    /// The whole store has been looked at, shown or not.
    void sampled(const restante::gui::Sample& sample);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void build();
    void buildBar();
    void buildCharts();
    void buildTable();
    void connectAll();
    void connectChart(Chart& chart);
    void connectMarks();
    void showMarks();
    QString zoomText() const;
    QString markText(const std::vector<AuditRow>& order) const;
    void retranslate();
    void fail(const Error& error);
    void listTopics();
    void chooseShare();
    void draw();
    void point(std::optional<std::size_t> step);
    void updateStatus();
    QString stateText() const;
    QString pastText() const;
    QString knownText() const;
    void askForFile();
    QString written(Line line, std::optional<double> value) const;

    Context context_;
    StoreSession* session_ = nullptr;
    MonitorWatch watch_{this};
    MarkWatch marks_{this};
    std::vector<SeriesPoint> points_;
    std::size_t range_ = 0;
    bool failed_ = false;

    MessageBar* notice_ = nullptr;
    std::array<QToolButton*, kTimeRanges.size()> rangeButtons_{};
    QComboBox* topic_ = nullptr;
    QComboBox* channel_ = nullptr;
    QLabel* at_ = nullptr;
    QToolButton* free_ = nullptr;  ///< chooses a range
    QToolButton* live_ = nullptr;  ///< there while something is enlarged
    QPushButton* export_ = nullptr;
    QSplitter* splitter_ = nullptr;
    std::vector<ChartBox*> charts_;
    MonitorModel* numbers_ = nullptr;
    QTableView* view_ = nullptr;
};

}  // namespace restante::gui
