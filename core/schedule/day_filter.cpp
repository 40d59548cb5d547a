#include "core/schedule/day_filter.h"

#include <algorithm>
#include <utility>

namespace restante {

namespace {

using std::chrono::days;
using std::chrono::January;
using std::chrono::last;
using std::chrono::local_days;
using std::chrono::weekday;
using std::chrono::weeks;
using std::chrono::year_month_day;

bool holds(const std::vector<int>& list, int value)
{
    return std::binary_search(list.begin(), list.end(), value);
}

/// `value` is one of 1 - `length`; -1 in the list is the last of them.
bool allows(const std::vector<int>& list, int value, int length)
{
    return list.empty() || holds(list, value) || holds(list, value - length - 1);
}

/// A day's place within its year or month, from 1, and that one's length.
struct Place {
    int number;
    int length;
};

Place placeInYear(local_days day, std::chrono::year year)
{
    return {static_cast<int>((day - local_days{year / January / 1}).count()) + 1,
            year.is_leap() ? 366 : 365};
}

Place placeInMonth(const year_month_day& date)
{
    return {static_cast<int>(static_cast<unsigned>(date.day())),
            static_cast<int>(static_cast<unsigned>((date.year() / date.month() / last).day()))};
}

/// ISO 8601 with any first weekday: week 1 is the first with four days in the year.
local_days firstWeekOf(std::chrono::year year, weekday firstWeekday)
{
    const local_days fourth{year / January / 4};
    return fourth - (weekday{fourth} - firstWeekday);
}

}  // namespace

DayFilter::DayFilter(const RecurrenceRule& rule, local_days start)
    : frequency_(rule.frequency),
      months_(rule.months),
      monthDays_(rule.monthDays),
      yearDays_(rule.yearDays),
      weeks_(rule.weeks),
      weekdays_(rule.weekdays),
      firstWeekday_(static_cast<unsigned>(rule.firstWeekday)),
      countsWithinYear_(frequency_ == RecurrenceRule::Frequency::Yearly && months_.empty())
{
    takeOpenPartsFrom(year_month_day{start}, weekday{start});
}

void DayFilter::takeOpenPartsFrom(year_month_day start, weekday weekday)
{
    using enum RecurrenceRule::Frequency;
    if (!monthDays_.empty() || !yearDays_.empty() || !weekdays_.empty()) {
        return;
    }
    if (frequency_ == Weekly || !weeks_.empty()) {
        weekdays_.push_back({static_cast<int>(weekday.c_encoding()), 0});
    } else if (frequency_ == Monthly || frequency_ == Yearly) {
        monthDays_.push_back(static_cast<int>(static_cast<unsigned>(start.day())));
        if (frequency_ == Yearly && months_.empty()) {
            months_.push_back(static_cast<int>(static_cast<unsigned>(start.month())));
        }
    }
}

bool DayFilter::fits(local_days day) const
{
    const year_month_day date{day};
    if (!months_.empty() &&
        !holds(months_, static_cast<int>(static_cast<unsigned>(date.month())))) {
        return false;
    }
    const auto inMonth = placeInMonth(date);
    const auto inYear = placeInYear(day, date.year());
    return allows(monthDays_, inMonth.number, inMonth.length) &&
           allows(yearDays_, inYear.number, inYear.length) && fitsWeek(day) &&
           fitsWeekday(day, date);
}

bool DayFilter::fitsWeek(local_days day) const
{
    if (weeks_.empty()) {
        return true;
    }
    // The days around New Year may belong to a week of the neighbouring year.
    auto year = year_month_day{day}.year();
    if (day >= firstWeekOf(year + std::chrono::years{1}, firstWeekday_)) {
        ++year;
    } else if (day < firstWeekOf(year, firstWeekday_)) {
        --year;
    }
    const auto first = firstWeekOf(year, firstWeekday_);
    const auto next = firstWeekOf(year + std::chrono::years{1}, firstWeekday_);
    return allows(weeks_, static_cast<int>((day - first) / weeks{1}) + 1,
                  static_cast<int>((next - first) / weeks{1}));
}

bool DayFilter::fitsWeekday(local_days day, year_month_day date) const
{
    if (weekdays_.empty()) {
        return true;
    }
    const auto place = countsWithinYear_ ? placeInYear(day, date.year()) : placeInMonth(date);
    const int ordinal = (place.number - 1) / 7 + 1;
    const int fromEnd = -((place.length - place.number) / 7 + 1);
    const auto itsWeekday = static_cast<int>(weekday{day}.c_encoding());
    return std::any_of(weekdays_.begin(), weekdays_.end(), [=](const auto& wanted) {
        return wanted.day == itsWeekday &&
               (wanted.ordinal == 0 || wanted.ordinal == ordinal || wanted.ordinal == fromEnd);
    });
}

}  // namespace restante
