#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace restante {

/// The parts of an RFC 5545 RRULE (section 3.3.10), each checked. *Value.*
struct RecurrenceRule {
    enum class Frequency { Secondly, Minutely, Hourly, Daily, Weekly, Monthly, Yearly };

    /// "MO", or "1MO" and "-1FR", whose numbers count within the month or the year.
    struct Weekday {
        int day = 0;      ///< 0 = Sunday
        int ordinal = 0;  ///< 0 = every one
    };

    /// "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10", any letter case. Invalid names the part and what is
    /// allowed. Not supported: RSCALE and SKIP, second 60, and BYSETPOS below a day.
    static Result<RecurrenceRule> parse(std::string_view text);

    bool isSubDaily() const noexcept { return frequency <= Frequency::Hourly; }
    /// True for "every two hours", which counts hours that pass; a rule of days or of hours of the
    /// day goes by local time.
    bool countsElapsedTime() const noexcept { return isSubDaily() && hours.empty(); }

    Frequency frequency = Frequency::Daily;
    int interval = 1;
    std::uint32_t count = 0;  ///< 0 = without end
    std::string until;        ///< as written; empty = without end
    // Each sorted, but for the weekdays; empty = not restricted. Negative numbers count from the
    // end.
    std::vector<int> seconds;
    std::vector<int> minutes;
    std::vector<int> hours;
    std::vector<int> monthDays;
    std::vector<int> yearDays;
    std::vector<int> weeks;
    std::vector<int> months;
    std::vector<int> positions;     ///< BYSETPOS
    std::vector<Weekday> weekdays;  ///< BYDAY
    int firstWeekday = 1;           ///< WKST, 0 = Sunday
    std::string text;               ///< the whole rule, upper-case
};

}  // namespace restante
