#pragma once

#include "core/schedule/day_filter.h"
#include "core/schedule/recurrence_rule.h"
#include "core/schedule/zoned_clock.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace restante {

/// The occurrences of a rule that counts elapsed time: FREQ=HOURLY, MINUTELY or SECONDLY without
/// BYHOUR (RecurrenceRule::countsElapsedTime()). In their order, without regard to COUNT and UNTIL.
/// *One thread.*
///
/// Periods of INTERVAL hours, minutes or seconds follow each other evenly from the start on,
/// whatever the clocks of the zone do: every two hours stays every two hours. What the rule says
/// about days, minutes and seconds is what the zone's clock reads at that moment; a rule that says
/// nothing about minutes has those of the start, at even distances.
class IntervalGenerator {
public:
    /// Which of them: those at or after both `start` and `from`, up to `end`. *Value.*
    struct Span {
        TimePoint start;  ///< the periods are counted from here
        TimePoint from;
        TimePoint end;
    };

    /// `start` is what the clock reads at the start of the span, or was to read there. Borrows rule
    /// and zone.
    IntervalGenerator(const RecurrenceRule& rule,
                      const ZonedClock& zone,
                      LocalSeconds start,
                      const Span& span);

    /// Nothing at the end, and when looking for one took too many steps.
    std::optional<TimePoint> next();

private:
    using Seconds = std::chrono::sys_seconds;

    LocalSeconds readingAt(Seconds at) const noexcept;
    Seconds nextFitting(Seconds period) const;
    void expand(Seconds period);
    std::chrono::seconds placeOf(LocalSeconds reading) const;
    std::vector<std::chrono::seconds> places() const;

    const RecurrenceRule& rule_;
    const ZonedClock& zone_;
    Seconds start_;
    Seconds from_;
    Seconds end_;
    DayFilter filter_;
    std::chrono::seconds unit_;
    std::chrono::seconds stride_;
    Seconds first_;      ///< where the period of the start begins
    std::int64_t step_;  ///< the next period to look at, counted from `first_`
    std::vector<std::chrono::seconds> places_;  ///< in a period, if the rule names any
    std::vector<Seconds> waiting_;              ///< the latest first
};

}  // namespace restante
