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

/// Watches a store for the monitor from the moment a connection is open: takes samples, of
/// everything and of the scope that is looked at, and asks the journal what went in and out before.
/// *Thread of the window.*
class MonitorWatch : public QObject {
    Q_OBJECT

public:
    /// What is known of the time of a range before the first sample.
    struct PastState {
        enum class Kind { Unasked, Asked, Known, Missing };
        Kind kind = Kind::Unasked;
        TimePoint from{};  ///< of Known: where the journal begins, or the range
        QString problem;   ///< of Missing; of Known: why it is not known what moved
        std::optional<TimePoint> backlogFrom = {};  ///< of Known: the first note of what waited
    };

    explicit MonitorWatch(QObject* parent);

    void open(StoreSession* session);
    /// Takes a sample at once.
    void refresh();
    /// Asks the journal again if it could not answer.
    void retryPast();
    /// Looks at these jobs from now on.
    void choose(JobScope scope);
    const JobScope& scope() const { return series().scope(); }
    /// The past of this range is wanted now.
    void setRange(std::size_t range);

    /// Shows a span of its own from now on, whatever comes; none = the range, up to now.
    void setZoom(const std::optional<TimeSpan>& zoom);
    const std::optional<TimeSpan>& zoom() const noexcept { return zoom_; }
    /// Of the range or of the span.
    Millis step() const { return kTimeRanges[zoom_ ? stepsFor(*zoom_) : range_].step; }

    /// The steps of what is shown, oldest first.
    std::vector<SeriesPoint> points() const
    {
        return zoom_ ? series().points(*zoom_, zoomed_) : series().points(range_, now());
    }
    TimePoint now() const;
    /// The first sample of what is looked at.
    std::optional<TimePoint> since() const noexcept { return series().since(); }
    const PastState& past() const noexcept { return zoom_ ? zoomPast_ : pasts_[range_]; }
    /// That have scheduled or ready jobs, by name.
    const std::vector<std::string>& topics() const noexcept { return topics_; }

signals:
    void sampled();
    /// Of the whole store.
    void looked(const restante::gui::Sample& sample);
    /// There is more to draw.
    void dataChanged();
    void topicsChanged();
    void failed(const restante::Error& error);

private:
    const MonitorSeries& series() const noexcept { return scope_ ? *scope_ : all_; }
    void ask(const JobScope& scope, RequestId& asked);
    void take(const Sample& sample, bool ofScope);
    void takeTopics(const Sample& sample);
    void askPast();
    void takePast(std::size_t range, Result<Past> past);
    void askZoom();
    void takeZoom(Result<Past> past);
    static PastState stateOf(const Result<Past>& past);
    void forget();
    void forgetPast();
    void drop(RequestId& asked);
    bool isDueAgain() const;

    StoreSession* session_ = nullptr;
    MonitorSeries all_;
    std::optional<MonitorSeries> scope_;  ///< none: all jobs are looked at
    std::vector<std::string> topics_;
    std::size_t range_ = 0;
    std::array<PastState, kTimeRanges.size()> pasts_;
    std::optional<TimeSpan> zoom_;
    PastState zoomPast_;
    std::optional<Past> zoomed_;  ///< what the journal has for it, in its steps
    RequestId askedZoom_ = 0;
    QElapsedTimer pastAsked_;
    qint64 pastTook_ = 0;  ///< ms, the last time
    qint64 pastAge_ = 0;   ///< when, on pastAsked_'s clock, it was there
    RequestId askedAll_ = 0;
    RequestId askedScope_ = 0;
    RequestId askedPast_ = 0;
    QTimer pace_;
};

}  // namespace restante::gui
