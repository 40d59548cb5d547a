#pragma once

#include "core/schedule/recurrence_rule.h"
#include "core/schedule/zoned_clock.h"

#include <functional>
#include <optional>

namespace restante {

/// One occurrence of a rule after the other, without regard to COUNT and UNTIL; nothing at the end,
/// and when looking for one took too many steps. *One thread.*
template <class Time>
using Occurrences = std::function<std::optional<Time>()>;

/// Which of them: those at or after both `start` and `from`, up to `end`. *Value.*
template <class Time>
struct OccurrenceSpan {
    Time start;  ///< what the rule leaves open (the phase of INTERVAL, the time of day) is its
    Time from;
    Time end;
};

/// What a clock on the wall reads, whatever its zone. Borrows the rule.
Occurrences<LocalSeconds> readingsOf(const RecurrenceRule& rule,
                                     const OccurrenceSpan<LocalSeconds>& span);

/// The moments of a rule that counts elapsed time (RecurrenceRule::countsElapsedTime()). Periods of
/// INTERVAL hours, minutes or seconds follow each other evenly from the start on, whatever the
/// clocks of the zone do: every two hours stays every two hours. What the rule says about days,
/// minutes and seconds is what the zone's clock reads at that moment; a rule that says nothing
/// about minutes has those of the start, at even distances. `reading` is what the clock reads at
/// the start of the span, or was to read there. Borrows rule and zone.
Occurrences<TimePoint> momentsOf(const RecurrenceRule& rule,
                                 const ZonedClock& zone,
                                 LocalSeconds reading,
                                 const OccurrenceSpan<TimePoint>& span);

}  // namespace restante
