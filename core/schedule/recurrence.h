#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/schedule/recurrence_rule.h"
#include "core/schedule/zoned_clock.h"

#include <optional>
#include <string>
#include <string_view>

namespace restante {

/// A recurrence: an RFC 5545 RRULE, the local time at which it starts, and its time zone. 09:00
/// stays 09:00 there, whatever summer time does; see ZonedClock::instantOf() for local times that
/// do not exist or exist twice. A rule of hours, minutes or seconds that names no hours of the day
/// counts elapsed time: its intervals stay even when the clock changes. *Value*; any thread.
class Recurrence {
public:
    /// The resolution of next(), which excludes `after`: next(t - kSmallestStep) may be t.
    static constexpr Millis kSmallestStep{1};

    /// Invalid says which part of the rule is wrong and what is allowed; also when the rule has no
    /// occurrence from `start` on, or occurrences that are closer than `minInterval`.
    /// `begin` is the instant of the start, for a rule that counts elapsed time and a local time
    /// that exists twice; without it, or when its local time is not `start`, the first one is
    /// taken.
    static Result<Recurrence> parse(std::string_view rule,
                                    ZonedClock zone,
                                    LocalSeconds start,
                                    Millis minInterval,
                                    std::optional<TimePoint> begin = std::nullopt);

    /// The first occurrence after `after`; nothing when there is none within forty years (more than
    /// any leap day or 53rd week needs). The start is an occurrence only if the rule names it, and
    /// COUNT counts from the first one. Takes a few milliseconds at worst, whatever the rule.
    std::optional<TimePoint> next(TimePoint after) const
    {
        return rule_.countsElapsedTime() ? nextByElapsedTime(after) : nextByLocalTime(after);
    }

    /// The last occurrence in [from, until); nothing when there is none.
    std::optional<TimePoint> last(TimePoint from, TimePoint until) const;

    const std::string& rule() const noexcept { return rule_.text; }
    const ZonedClock& zone() const noexcept { return zone_; }
    LocalSeconds start() const noexcept { return start_; }
    /// The instant of the start, only where the local time exists twice and this is the second: see
    /// parse().
    std::optional<TimePoint> begin() const noexcept { return begin_; }

private:
    Recurrence(RecurrenceRule rule, ZonedClock zone, LocalSeconds start)
        : rule_(std::move(rule)),
          zone_(std::move(zone)),
          start_(start)
    {
    }
    Result<void> parseUntil();
    Result<void> checkIntervals(Millis minInterval) const;
    std::optional<TimePoint> nextByElapsedTime(TimePoint after) const;
    std::optional<TimePoint> nextByLocalTime(TimePoint after) const;

    RecurrenceRule rule_;
    ZonedClock zone_;
    LocalSeconds start_;
    std::optional<TimePoint> begin_;
    std::optional<TimePoint> until_;
};

}  // namespace restante
