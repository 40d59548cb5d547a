#pragma once

#include "gui/pages/monitor/monitor_series.h"
#include "gui/session/job_source.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <array>
#include <optional>
#include <vector>

namespace restante::gui {

class StoreSession;

/// Samples a store for the monitor while a connection is open, all jobs and those of the chosen
/// scope, and asks the journal for the time before. *Thread of the window.*
class MonitorWatch : public QObject {
    Q_OBJECT

public:
    /// What is known of the time of a range before the first sample.
    struct PastState {
        enum class Kind { NotRequested, Requested, Known, Missing };
        Kind kind = Kind::NotRequested;
        TimePoint from{};  ///< of Known: where the journal begins, or the range
        QString problem;   ///< of Missing; of Known: why the rates are unknown
        std::optional<TimePoint> backlogFrom = {};  ///< of Known: the first backlog record
    };

    explicit MonitorWatch(QObject* parent);

    void open(StoreSession* session);
    /// Takes a sample at once.
    void refresh();
    /// Requests the past again if the journal could not answer.
    void retryPast();
    /// Restricts the charts to these jobs.
    void setScope(JobScope scope);
    const JobScope& scope() const { return series().scope(); }
    /// Chooses the range, and requests its past.
    void setRange(std::size_t range);

    /// Shows a fixed span; none = the range up to now.
    void setZoom(const std::optional<TimeSpan>& zoom);
    const std::optional<TimeSpan>& zoom() const noexcept { return zoom_; }
    /// Of the range or of the span.
    Millis step() const { return kTimeRanges[zoom_ ? rangeIndexFor(*zoom_) : range_].step; }

    /// The steps of what is shown, oldest first.
    std::vector<MonitorPoint> points() const
    {
        return zoom_ ? series().points(*zoom_, zoomRecords_) : series().points(range_, now());
    }
    TimePoint now() const;
    /// The time of the first sample of the scope.
    std::optional<TimePoint> since() const noexcept { return series().since(); }
    const PastState& past() const noexcept { return zoom_ ? zoomPast_ : pasts_[range_]; }
    /// The topics that have scheduled or ready jobs, by name.
    const std::vector<std::string>& topics() const noexcept { return topics_; }

signals:
    void sampled();
    /// Of the whole store.
    void storeSampled(const restante::gui::Sample& sample);
    /// There is more to draw.
    void dataChanged();
    void topicsChanged();
    void failed(const restante::Error& error);

private:
    const MonitorSeries& series() const noexcept
    {
        return scopeSeries_ ? *scopeSeries_ : allJobsSeries_;
    }
    void requestSample(const JobScope& scope, RequestId& requestId);
    void handleSample(const Sample& sample, bool isScoped);
    void updateTopics(const Sample& sample);
    void requestPast();
    void handlePast(std::size_t range, Result<Past> past);
    void requestZoomPast();
    void handleZoomPast(Result<Past> past);
    static PastState stateOf(const Result<Past>& past);
    void cancelAndDisconnect();
    void discardPast();
    void cancelRequest(RequestId& requestId);
    bool isPastOutdated() const;

    StoreSession* session_ = nullptr;
    MonitorSeries allJobsSeries_;
    std::optional<MonitorSeries> scopeSeries_;  ///< none: the scope is all jobs
    std::vector<std::string> topics_;
    std::size_t range_ = 0;
    std::array<PastState, kTimeRanges.size()> pasts_;
    std::optional<TimeSpan> zoom_;
    PastState zoomPast_;
    std::optional<Past> zoomRecords_;  ///< what the journal has for it, in its steps
    RequestId zoomRequest_ = 0;
    QElapsedTimer sincePastRequest_;
    qint64 pastDurationMs_ = 0;  ///< of the last request
    qint64 pastAnsweredMs_ = 0;  ///< of sincePastRequest_, when it was answered
    RequestId allJobsRequest_ = 0;
    RequestId scopeRequest_ = 0;
    RequestId pastRequest_ = 0;
    QTimer sampleTimer_;
};

}  // namespace restante::gui
