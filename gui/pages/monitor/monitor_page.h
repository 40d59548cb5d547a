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
#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QSplitter;
class QTableView;

namespace restante::gui {

class MessageBar;

/// What goes in and out, what waits, and how late it is, over time: three charts with one time axis
/// and one cursor, and the same numbers in a table below. It samples from the opening of a
/// connection on, visible or not. A zoomed span stays until it is reset. *Thread of the window.*
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
    /// Shows that span, moved out of the future and limited to kShortestSpan and kLongestSpan.
    void zoomTo(const TimeSpan& span);
    /// Scales the shown span by `factor` around that time.
    void zoomAround(TimePoint centre, double factor);
    void pan(Millis by);
    /// Follows the store again.
    void resetZoom();
    const std::optional<TimeSpan>& zoom() const noexcept { return watch_.zoom(); }
    /// The time span of all charts.
    TimeSpan shownSpan() const;
    /// Shows kTimeRanges[index] up to now.
    void showRange(std::size_t index);
    std::size_t rangeIndex() const noexcept { return range_; }
    const std::vector<ChartBox*>& charts() const noexcept { return charts_; }
    const MonitorModel& model() const noexcept { return *model_; }
    /// Writes the table as CSV, and shows the result in the message bar.
    void exportTo(const QString& file);
    /// Writes a chart, or all of them, as a picture: SVG for the suffix .svg, else PNG.
    void exportChart(const QString& file, std::optional<std::size_t> chart);
    /// Asks for the range in a dialog.
    void askForRange();
    /// Asks where to write the chart that has the focus, or all of them.
    void askForPicture();

signals:
    /// The whole store was sampled, whether the page is visible or not.
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
    void connectActions();
    void showMarks();
    QString zoomText() const;
    QString markText(const std::vector<AuditRow>& rows) const;
    void retranslate();
    void showFailure(const Error& error);
    void updateTopicBox();
    void applyScope();
    void refreshCharts();
    void setCursor(std::optional<std::size_t> step);
    void updateStatusLine();
    QString stateText() const;
    QString pastText() const;
    QString knownPastText() const;
    void askForCsvFile();
    void writeAndReport(const QString& file, std::string content, const QString& success);
    QString valueText(Line line, std::optional<double> value) const;

    Context context_;
    StoreSession* session_ = nullptr;
    MonitorWatch watch_{this};
    MarkWatch markWatch_{this};
    std::vector<MonitorPoint> points_;
    std::size_t range_ = 0;
    bool hasFailed_ = false;

    MessageBar* notice_ = nullptr;
    std::array<QToolButton*, kTimeRanges.size()> rangeButtons_{};
    QComboBox* topicBox_ = nullptr;
    QComboBox* channelBox_ = nullptr;
    QLabel* statusLine_ = nullptr;
    QToolButton* rangeButton_ = nullptr;  ///< chooses a range
    QToolButton* liveButton_ = nullptr;   ///< visible while a span is zoomed
    QPushButton* exportButton_ = nullptr;
    QSplitter* splitter_ = nullptr;
    std::vector<ChartBox*> charts_;
    MonitorModel* model_ = nullptr;
    QTableView* table_ = nullptr;
};

}  // namespace restante::gui
