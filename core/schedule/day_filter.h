#pragma once

#include "core/schedule/recurrence_rule.h"
#include "core/schedule/zoned_clock.h"

#include <chrono>
#include <vector>

namespace restante {

/// Which days a rule names within its periods: BYMONTH, BYMONTHDAY, BYYEARDAY, BYWEEKNO and BYDAY,
/// and where they leave the day open, the start's. *Value.* RFC 5545 section 3.3.10.
class DayFilter {
public:
    DayFilter(const RecurrenceRule& rule, std::chrono::local_days start);

    bool fits(std::chrono::local_days day) const;

private:
    void takeOpenPartsFrom(std::chrono::year_month_day start, std::chrono::weekday weekday);
    bool fitsWeek(std::chrono::local_days day) const;
    bool fitsWeekday(std::chrono::local_days day, std::chrono::year_month_day date) const;

    RecurrenceRule::Frequency frequency_;
    std::vector<int> months_;
    std::vector<int> monthDays_;
    std::vector<int> yearDays_;
    std::vector<int> weeks_;
    std::vector<RecurrenceRule::Weekday> weekdays_;
    std::chrono::weekday firstWeekday_;
    bool countsWithinYear_;  ///< 20MO is the twentieth of the year, not of the month
};

}  // namespace restante
