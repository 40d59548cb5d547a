#pragma once

#include "gui/session/job_source.h"
#include "gui/theme/sparkline.h"

#include <deque>
#include <map>
#include <optional>

namespace restante::gui {

/// What was delivered and what failed in the last 24 hours: from the journal as far as that was
/// asked, and from then on from the counters of the store. Without a journal it begins when the
/// first counters were seen. *Value.*
class DayMoves {
public:
    /// The clocks of no zone differ by less from a multiple of it.
    static constexpr Millis kStep{15 * 60'000};
    static constexpr Millis kSpan{24 * 3'600'000};

    struct Count {
        std::uint64_t delivered = 0;
        std::uint64_t givenUp = 0;
        std::uint64_t expired = 0;

        std::uint64_t failed() const noexcept { return givenUp + expired; }
        Count& operator+=(const Count& other);
    };
    /// From `since` on, which may be later than what was asked for: before that nobody knows.
    struct Total {
        Count count = {};
        TimePoint since{};
    };

    /// What to ask the journal at `now` for the time since `from`.
    static PastRequest request(TimePoint from, TimePoint now);
    /// Its answer, which is in steps of kStep. What moved may be unknown to it.
    void setPast(const Past& past);
    /// In the order of time.
    void addSample(const Sample& sample);

    /// None: nothing is known of it yet.
    std::optional<Total> since(TimePoint from) const;
    /// One value for each step of the last 24 hours, oldest first.
    Sparkline::Values delivered(TimePoint now) const;
    Sparkline::Values failed(TimePoint now) const;

private:
    struct Seen {
        TimePoint at{};
        Count count = {};
    };
    Sparkline::Values steps(TimePoint now, std::uint64_t (*value)(const Count&)) const;
    std::map<TimePoint, Count> byStep() const;

    std::map<TimePoint, Count> journal_;
    std::optional<TimePoint> knownFrom_;  ///< that the journal knows
    TimePoint knownUntil_{};
    std::deque<Seen> seen_;  ///< what was counted between two samples, by the later one
    std::optional<Sample> last_;
    std::optional<TimePoint> firstSample_;
};

}  // namespace restante::gui
