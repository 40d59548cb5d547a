#pragma once

#include "core/job/job_state.h"
#include "gui/pages/monitor/time_range.h"
#include "gui/session/job_source.h"

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace restante::gui {

/// The lines of the monitor, chart by chart.
enum class Line {
    // jobs a second
    Pushed,
    Finished,
    Retried,
    Failed,  ///< buried or expired
    // jobs
    Ready,
    Leased,
    Scheduled,
    Held,
    Dead,
    // how late the ready jobs are, ms
    LatenessP50,
    LatenessP95,
    LatenessP99,
    Count_
};
constexpr auto kLines = static_cast<std::size_t>(Line::Count_);

/// One step of a range. An empty value = no sample, or unknown. *Value.*
struct MonitorPoint {
    TimePoint at{};  ///< its beginning
    std::array<std::optional<double>, kLines> values{};

    std::optional<double> operator[](Line line) const
    {
        return values[static_cast<std::size_t>(line)];
    }
};

/// Collects samples for every range at once. A rate is the jobs moved in a step over the sampled
/// time; a backlog is the mean of its samples; a lateness is their maximum. There is a gap without
/// samples, between samples that are far apart, and over a reset of the counters. Records of the
/// journal fill gaps. *Value.*
class MonitorSeries {
public:
    /// Samples further apart are a gap.
    static constexpr Millis kMaxSampleGap{30'000};

    explicit MonitorSeries(JobScope scope = {}) : scope_(std::move(scope)) {}

    /// In the order of time; a sample that is not after the last one is dropped. With a scope only
    /// the ready and scheduled jobs and their lateness are known; the store counts the rest for all
    /// jobs.
    void add(const Sample& sample);
    /// Sets the records of the journal for a range, in its steps.
    void setPast(std::size_t range, Past past) { pasts_[range] = std::move(past); }
    const JobScope& scope() const noexcept { return scope_; }
    /// The time of the first sample.
    std::optional<TimePoint> since() const noexcept { return since_; }

    /// The steps of a range that ends with the one `now` is in, oldest first, gaps included.
    std::vector<MonitorPoint> points(std::size_t range, TimePoint now) const;
    /// The steps of any span, in the resolution of rangeIndexFor(). Samples that are kept only in
    /// coarser steps fill each of the finer ones, unless `past` has a value.
    std::vector<MonitorPoint> points(const TimeSpan& span, const std::optional<Past>& past) const;

private:
    /// Of a lateness the largest value, with the weight 1.
    struct Sum {
        double value = 0;
        double weight = 0;
    };
    struct Bucket {
        TimePoint at{};
        std::array<Sum, kLines> sums{};
    };
    void addValue(Line line, TimePoint at, double value, double weight);
    Bucket& bucketAt(std::size_t range, TimePoint at);
    void addRates(const Sample& before, const Sample& sample);
    void addBacklog(const Sample& sample);
    MonitorPoint pointAt(TimePoint at, std::size_t range, const std::optional<Past>& past) const;
    void fillFromSamples(MonitorPoint& point, std::size_t range) const;

    JobScope scope_;
    std::array<std::optional<Past>, kTimeRanges.size()> pasts_;
    std::array<std::deque<Bucket>, kTimeRanges.size()> buckets_;
    std::optional<Sample> lastSample_;
    std::optional<TimePoint> since_;
};

}  // namespace restante::gui
