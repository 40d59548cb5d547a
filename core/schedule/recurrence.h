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
/// stays 09:00 in that zone when summer time begins or ends; see ZonedClock::instantOf() for local
/// times that do not exist or exist twice. A rule of hours, minutes or seconds without BYHOUR
/// counts elapsed time: a change of the clock does not change its intervals. *Value*; any thread.
class Recurrence {
public:
    /// The resolution of time. next() excludes its argument, so next(t - kSmallestStep) may be t.
    static constexpr Millis kSmallestStep{1};

    /// Invalid: a part of the rule is wrong, `start` is not in the years 1970 to 2200, the rule has
    /// no occurrence from there on, or two occurrences are closer than `minInterval`.
    /// `startInstant` selects one of the two instants when the local time `start` exists twice and
    /// the rule counts elapsed time; without it, or when its local time is not `start`, the first
    /// one is taken.
    static Result<Recurrence> parse(std::string_view rule,
                                    ZonedClock zone,
                                    LocalSeconds start,
                                    Millis minInterval,
                                    std::optional<TimePoint> startInstant = std::nullopt);

    /// The first occurrence after `after`; nothing when there is none within forty years, which is
    /// longer than any gap between leap days or 53rd weeks. The start is an occurrence only if it
    /// matches the rule, and COUNT begins with the first occurrence. Takes a few milliseconds at
    /// worst, whatever the rule.
    std::optional<TimePoint> next(TimePoint after) const
    {
        return rule_.countsElapsedTime() ? nextByElapsedTime(after) : nextByLocalTime(after);
    }

    /// The last occurrence in [from, until); nothing when there is none.
    std::optional<TimePoint> last(TimePoint from, TimePoint until) const;

    const std::string& rule() const noexcept { return rule_.text; }
    const ZonedClock& zone() const noexcept { return zone_; }
    LocalSeconds start() const noexcept { return start_; }
    /// Set only when the local time of the start exists twice and the recurrence starts at the
    /// second of the two instants; see parse().
    std::optional<TimePoint> startInstant() const noexcept { return startInstant_; }

private:
    Recurrence(RecurrenceRule rule, ZonedClock zone, LocalSeconds start)
        : rule_(std::move(rule)),
          zone_(std::move(zone)),
          start_(start)
    {
    }
    Result<void> parseUntil();
    Result<void> checkOccurrences(Millis minInterval) const;
    std::optional<TimePoint> nextByElapsedTime(TimePoint after) const;
    std::optional<TimePoint> nextByLocalTime(TimePoint after) const;

    RecurrenceRule rule_;
    ZonedClock zone_;
    LocalSeconds start_;
    std::optional<TimePoint> startInstant_;
    std::optional<TimePoint> until_;
};

}  // namespace restante
