#pragma once

#include "gui/session/job_source.h"
#include "gui/theme/sparkline.h"

#include <deque>
#include <map>
#include <optional>

namespace restante::gui {

/// Deliveries and failures of the last 24 hours: from the journal up to its answer, then from the
/// counters of the store. Without a journal it begins with the first sample. *Value.*
class DayMoves {
public:
    /// The offset of every time zone is a multiple of it.
    static constexpr Millis kStep{15 * 60'000};
    static constexpr Millis kSpan{24 * 3'600'000};

    struct Count {
        std::uint64_t delivered = 0;
        std::uint64_t givenUp = 0;
        std::uint64_t expired = 0;

        std::uint64_t failed() const noexcept { return givenUp + expired; }
        Count& operator+=(const Count& other);
    };
    /// Counts from `since` on, which is later than requested when the time before is unknown.
    struct Total {
        Count count = {};
        TimePoint since{};
    };

    /// The request to the journal for the time up to `now`: from `from`, and for 24 hours at least.
    static PastRequest request(TimePoint from, TimePoint now);
    /// Sets the answer to request(), in steps of kStep; with a movesProblem only samples count.
    void setPast(const Past& past);
    /// In the order of time.
    void addSample(const Sample& sample);

    /// None = nothing is known yet.
    std::optional<Total> totalSince(TimePoint from) const;
    /// One value for each step of the last 24 hours, oldest first.
    Sparkline::Values delivered(TimePoint now) const;
    Sparkline::Values failed(TimePoint now) const;

private:
    struct SampleCount {
        TimePoint at{};
        Count count = {};
    };
    /// Whether the journal's answer counts it already.
    bool isInJournal(const SampleCount& counted) const;
    Sparkline::Values steps(TimePoint now, std::uint64_t (*value)(const Count&)) const;
    std::map<TimePoint, Count> byStep() const;

    std::map<TimePoint, Count> journalCounts_;  ///< by the begin of the step
    std::optional<TimePoint> knownFrom_;        ///< begin of what the journal knows
    TimePoint knownUntil_{};
    /// Counts between two samples, at the time of the later one. Those that the journal has, too,
    /// stay: its next answer may be that it cannot be counted.
    std::deque<SampleCount> sampleCounts_;
    std::optional<Sample> lastSample_;
    std::optional<TimePoint> firstSampleTime_;
};

}  // namespace restante::gui
