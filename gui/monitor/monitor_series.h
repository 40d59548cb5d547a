#pragma once

#include "core/job/job_state.h"
#include "gui/session/job_source.h"

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
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
    Half,    ///< p50
    Most,    ///< p95
    Nearly,  ///< p99
    Count_
};
constexpr auto kLines = static_cast<std::size_t>(Line::Count_);

/// What the monitor can look back at: so long, in steps of so long.
struct Window {
    Millis span;
    Millis step;
};
/// 15 minutes to 7 days, 168 to 180 steps each: about as many as a chart has room for.
constexpr std::array<Window, 5> kWindows{{{Millis{900'000}, Millis{5'000}},
                                          {Millis{3'600'000}, Millis{20'000}},
                                          {Millis{21'600'000}, Millis{120'000}},
                                          {Millis{86'400'000}, Millis{480'000}},
                                          {Millis{604'800'000}, Millis{3'600'000}}}};

/// One step of a window. An empty value = nobody looked, or it cannot be known. *Value.*
struct Step {
    TimePoint at{};  ///< its beginning
    std::array<std::optional<double>, kLines> values{};

    std::optional<double> operator[](Line line) const
    {
        return values[static_cast<std::size_t>(line)];
    }
};

/// `p` of 0 - 100 of sorted values, nearest rank; none = 0: nothing is late.
double percentile(const std::vector<Millis>& sorted, int p);

/// Collects samples for every window at once. A rate is what was moved in a step over the time
/// that was watched; a backlog is the mean of the looks; a lateness is the worst of them. What was
/// not watched stays a gap: nothing is made up between samples that are far apart, or over a
/// restart of the counters. *Value.*
class MonitorSeries {
public:
    /// Samples further apart are a gap.
    static constexpr Millis kFarApart{30'000};

    /// In the order of time; one that is not after the last is dropped.
    void add(const Sample& sample);
    void clear();

    /// The steps of a window that ends with the one `now` is in, oldest first, gaps included.
    std::vector<Step> window(std::size_t index, TimePoint now) const;
    bool empty() const noexcept { return !last_; }

private:
    struct Sum {
        double value = 0;
        double weight = 0;
    };
    struct Bucket {
        TimePoint at{};
        std::array<Sum, kLines> sums{};
    };
    void put(Line line, TimePoint at, double value, double weight);
    Bucket& bucketAt(std::size_t window, TimePoint at);
    void addRates(const Sample& before, const Sample& sample);

    std::array<std::deque<Bucket>, kWindows.size()> windows_;
    std::optional<Sample> last_;
};

}  // namespace restante::gui
