#include "core/schedule/recurrence.h"

#include "core/base/duration.h"
#include "core/base/try.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <utility>
#include <vector>

namespace restante {

namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::January;
using std::chrono::last;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::weekday;
using std::chrono::weeks;
using std::chrono::year_month_day;

/// 29 February is missing for eight years around 2100, and a fifth Monday on one comes every
/// twenty-eight.
constexpr days kLookahead{40 * 366};

/// The longest jump of a zone's clock: Samoa left out a whole day in 2011.
constexpr hours kLongestGap{25};

/// Occurrences whose distances are checked: the times of a day repeat, so that a few days suffice.
constexpr int kIntervalsChecked = 500;

/// "20261231" as "2026-12-31", "20261231T080000" as "2026-12-31 08:00:00"; empty when it is
/// neither.
std::string toIsoLocalTime(std::string_view until)
{
    const auto part = [until](std::size_t from) { return until.substr(from, 2); };
    if (until.size() == 8) {
        return fmt::format("{}-{}-{}", until.substr(0, 4), part(4), part(6));
    }
    if (until.size() == 15 && until[8] == 'T') {
        return fmt::format("{}-{}-{} {}:{}:{}", until.substr(0, 4), part(4), part(6), part(9),
                           part(11), part(13));
    }
    return {};
}

/// Returns the next occurrence of a rule at each call, without regard to COUNT and UNTIL; nothing
/// at the end, or when the search took too many steps. *One thread.*
template <class Time>
using Occurrences = std::function<std::optional<Time>()>;

/// Selects occurrences: those at or after both `start` and `from`, up to `end`. *Value.*
template <class Time>
struct OccurrenceSpan {
    Time start;  ///< supplies what the rule leaves open: the phase of INTERVAL, the time of day
    Time from;
    Time end;
};

/// Steps without an occurrence after which the search gives up: some milliseconds. Days, hours and
/// minutes that do not fit are skipped in one step, so only a rule without occurrences gets here.
/// With a zone a step takes longer.
constexpr std::uint32_t kMostSteps = 200'000;
constexpr std::uint32_t kMostStepsInZone = 100'000;

bool contains(const std::vector<int>& list, std::int64_t value)
{
    return std::ranges::binary_search(list, static_cast<int>(value));
}

bool allows(const std::vector<int>& list, std::int64_t value)
{
    return list.empty() || contains(list, value);
}

std::vector<int> listOr(const std::vector<int>& list, std::int64_t otherwise)
{
    return list.empty() ? std::vector<int>{static_cast<int>(otherwise)} : list;
}

template <class Part>
int numberOf(Part part)
{
    return static_cast<int>(static_cast<unsigned>(part));
}

/// The position of a day or week within its year or month, from 1, and the length of that period.
struct Position {
    int number;
    int length;

    /// An empty list allows all; in the list, -1 is the last one.
    bool isAllowedBy(const std::vector<int>& list) const
    {
        return list.empty() || contains(list, number) || contains(list, number - length - 1);
    }
};

Position positionInYear(local_days day, std::chrono::year year)
{
    return {static_cast<int>((day - local_days{year / January / 1}).count()) + 1,
            year.is_leap() ? 366 : 365};
}

Position positionInMonth(const year_month_day& date)
{
    return {numberOf(date.day()), numberOf((date.year() / date.month() / last).day())};
}

/// Tells which days a rule names within its periods: by BYMONTH, BYMONTHDAY, BYYEARDAY, BYWEEKNO
/// and BYDAY, and by the day of the start where they leave the day open. *Value.* RFC 5545 section
/// 3.3.10.
class DayFilter {
public:
    DayFilter(const RecurrenceRule& rule, local_days start)
        : rule_(rule),
          // 20MO is the twentieth of the year, not of the month.
          countsWithinYear_(rule.frequency == RecurrenceRule::Frequency::Yearly &&
                            rule.months.empty())
    {
        using enum RecurrenceRule::Frequency;
        const year_month_day date{start};
        if (!rule_.monthDays.empty() || !rule_.yearDays.empty() || !rule_.weekdays.empty()) {
            return;
        }
        if (rule_.frequency == Weekly || !rule_.weeks.empty()) {
            rule_.weekdays.push_back({static_cast<int>(weekday{start}.c_encoding()), 0});
        } else if (rule_.frequency == Monthly || rule_.frequency == Yearly) {
            rule_.monthDays.push_back(numberOf(date.day()));
            if (countsWithinYear_) {
                rule_.months.push_back(numberOf(date.month()));
            }
        }
    }

    bool includes(local_days day) const
    {
        const year_month_day date{day};
        return allows(rule_.months, numberOf(date.month())) &&
               positionInMonth(date).isAllowedBy(rule_.monthDays) &&
               positionInYear(day, date.year()).isAllowedBy(rule_.yearDays) &&
               fitsWeek(day, date.year()) && fitsWeekday(day, date);
    }

private:
    /// ISO 8601 with any first weekday: week 1 is the first with four days in the year.
    local_days firstWeekOf(std::chrono::year year) const
    {
        const local_days fourth{year / January / 4};
        return fourth - (weekday{fourth} - weekday{static_cast<unsigned>(rule_.firstWeekday)});
    }

    bool fitsWeek(local_days day, std::chrono::year year) const
    {
        if (rule_.weeks.empty()) {
            return true;
        }
        // The days around New Year may belong to a week of the neighbouring year.
        if (day >= firstWeekOf(year + std::chrono::years{1})) {
            ++year;
        } else if (day < firstWeekOf(year)) {
            --year;
        }
        const auto first = firstWeekOf(year);
        const auto next = firstWeekOf(year + std::chrono::years{1});
        return Position{static_cast<int>((day - first) / weeks{1}) + 1,
                        static_cast<int>((next - first) / weeks{1})}
            .isAllowedBy(rule_.weeks);
    }

    bool fitsWeekday(local_days day, const year_month_day& date) const
    {
        const auto position =
            countsWithinYear_ ? positionInYear(day, date.year()) : positionInMonth(date);
        const int ordinal = (position.number - 1) / 7 + 1;
        const int fromEnd = -((position.length - position.number) / 7 + 1);
        const auto dayOfWeek = static_cast<int>(weekday{day}.c_encoding());
        return rule_.weekdays.empty() ||
               std::ranges::any_of(rule_.weekdays, [=](const auto& wanted) {
                   return wanted.day == dayOfWeek &&
                          (wanted.ordinal == 0 || wanted.ordinal == ordinal ||
                           wanted.ordinal == fromEnd);
               });
    }

    RecurrenceRule rule_;  ///< with what it leaves open taken from the start
    bool countsWithinYear_;
};

/// Occurrences of FREQ=DAILY, WEEKLY, MONTHLY and YEARLY: in each period, the days that fit at each
/// of the rule's times of day.
class DailyOccurrences {
public:
    DailyOccurrences(const RecurrenceRule& rule, const OccurrenceSpan<LocalSeconds>& span)
        : rule_(rule),
          start_(floor<days>(span.start)),
          from_(std::max(span.start, span.from)),
          end_(span.end),
          filter_(rule, start_),
          period_(periodsUntil(floor<days>(from_)) / rule.interval)
    {
        const std::chrono::hh_mm_ss time{span.start - start_};
        for (const int hour : listOr(rule.hours, time.hours().count())) {
            for (const int minute : listOr(rule.minutes, time.minutes().count())) {
                for (const int second : listOr(rule.seconds, time.seconds().count())) {
                    times_.push_back(hours{hour} + minutes{minute} + seconds{second});
                }
            }
        }
    }

    std::optional<LocalSeconds> operator()()
    {
        for (;;) {
            while (nextWaiting_ < waiting_.size()) {
                const auto local = waiting_[nextWaiting_++];
                if (local >= from_) {
                    return local <= end_ ? std::optional{local} : std::nullopt;
                }
            }
            if (day_ == periodEnd_) {
                const auto period = period_++ * rule_.interval;
                if (firstOf(period) > end_) {
                    return {};
                }
                day_ = firstOf(period);
                periodEnd_ = firstOf(period + 1);
            }
            expand();
        }
    }

private:
    /// Whole periods, without regard to INTERVAL, between the start's and the one of `day`.
    std::int64_t periodsUntil(local_days day) const
    {
        using enum RecurrenceRule::Frequency;
        const year_month_day from{start_};
        const year_month_day to{day};
        switch (rule_.frequency) {
        case Yearly: return (to.year() - from.year()).count();
        case Monthly: return (to.year() / to.month() - from.year() / from.month()).count();
        case Weekly: return (day - weekOf(start_)) / weeks{1};
        default: return (day - start_).count();
        }
    }
    local_days weekOf(local_days day) const
    {
        return day - (weekday{day} - weekday{static_cast<unsigned>(rule_.firstWeekday)});
    }
    /// The first day of that period.
    local_days firstOf(std::int64_t period) const
    {
        using enum RecurrenceRule::Frequency;
        const year_month_day from{start_};
        const auto count = static_cast<int>(period);
        switch (rule_.frequency) {
        case Yearly: return local_days{(from.year() + std::chrono::years{count}) / 1 / 1};
        case Monthly:
            return local_days{(from.year() / from.month() + std::chrono::months{count}) / 1};
        case Weekly: return weekOf(start_) + weeks{count};
        default: return start_ + days{count};
        }
    }

    /// Collects the times of the next day that fits; with BYSETPOS, those of the rest of the
    /// period.
    void expand()
    {
        waiting_.clear();
        nextWaiting_ = 0;
        const bool wholePeriod = !rule_.positions.empty();
        while (day_ != periodEnd_ && (wholePeriod || waiting_.empty())) {
            if (filter_.includes(day_)) {
                for (const auto time : times_) {
                    waiting_.push_back(day_ + time);
                }
            }
            day_ += days{1};
        }
        if (wholePeriod) {
            applySetPositions();
        }
    }
    void applySetPositions()
    {
        std::vector<LocalSeconds> chosen;
        const auto size = static_cast<int>(waiting_.size());
        for (int i = 0; i < size; ++i) {
            if (contains(rule_.positions, i + 1) || contains(rule_.positions, i - size)) {
                chosen.push_back(waiting_[static_cast<std::size_t>(i)]);
            }
        }
        waiting_ = std::move(chosen);
    }

    const RecurrenceRule& rule_;
    local_days start_;
    LocalSeconds from_;
    LocalSeconds end_;
    DayFilter filter_;
    std::int64_t period_;  ///< the next one, in steps of INTERVAL
    local_days day_{};     ///< the next one of the current period
    local_days periodEnd_{};
    std::vector<seconds> times_;         ///< of each day
    std::vector<LocalSeconds> waiting_;  ///< from `nextWaiting_` on
    std::size_t nextWaiting_ = 0;
};

/// FREQ=HOURLY, MINUTELY and SECONDLY. Whole days, hours and minutes that do not fit are skipped in
/// one step: in steps of a second it would take minutes to find the next 29 February.
class SubDailyOccurrences {
public:
    using Moment = std::chrono::sys_seconds;

    /// `zone` null: local times, computed as if they were UTC.
    SubDailyOccurrences(const RecurrenceRule& rule,
                        const ZonedClock* zone,
                        LocalSeconds localStart,
                        const OccurrenceSpan<Moment>& span)
        : rule_(rule),
          zone_(zone),
          start_(span.start),
          from_(std::max(start_, span.from)),
          end_(span.end),
          filter_(rule, floor<days>(localStart)),
          unit_(rule.frequency == RecurrenceRule::Frequency::Hourly     ? seconds{hours{1}}
                : rule.frequency == RecurrenceRule::Frequency::Minutely ? seconds{minutes{1}}
                                                                        : seconds{1}),
          stride_(unit_ * rule.interval),
          // The period is the hour, minute or second of the local clock.
          firstPeriod_(start_ - offsetInPeriod(localAt(start_))),
          periodIndex_((from_ - firstPeriod_) / stride_),
          offsets_(offsetsInPeriod())
    {
    }

    std::optional<Moment> next()
    {
        const auto maxSteps = zone_ == nullptr ? kMostSteps : kMostStepsInZone;
        for (std::uint32_t steps = 0; steps < maxSteps; ++steps) {
            while (!waiting_.empty()) {
                const auto moment = waiting_.back();
                waiting_.pop_back();
                if (moment >= from_) {
                    return moment <= end_ ? std::optional{moment} : std::nullopt;
                }
            }
            const auto period = firstPeriod_ + periodIndex_ * stride_;
            if (period > end_) {
                return {};
            }
            if (const auto fitting = nextFitting(period); fitting > period) {
                periodIndex_ = (fitting - firstPeriod_ + stride_ - seconds{1}) / stride_;
            } else {
                expand(period);
                ++periodIndex_;
            }
        }
        return {};
    }

private:
    LocalSeconds localAt(Moment at) const noexcept
    {
        return zone_ == nullptr ? LocalSeconds{at.time_since_epoch()} : zone_->localOf(at);
    }
    Moment instantOf(LocalSeconds local) const noexcept
    {
        return zone_ == nullptr ? Moment{local.time_since_epoch()}
                                : floor<seconds>(zone_->instantOf(local));
    }

    /// `period` itself when part of it may fit, else the earliest instant at which a period may fit
    /// again.
    Moment nextFitting(Moment period) const
    {
        const auto local = localAt(period);
        const auto day = floor<days>(local);
        // An hour may lie on two days in a zone whose offset has changed by part of an hour:
        // expand() checks the day of each instant.
        const auto lastDay = floor<days>(local + unit_ - seconds{1});
        if (!filter_.includes(day) && (lastDay == day || !filter_.includes(lastDay))) {
            const auto midnight = instantOf(LocalSeconds{lastDay + days{1}});
            // When the clock goes back over midnight, this is not later than `period`: then one
            // period at a time.
            return std::max(midnight - unit_ + seconds{1}, period + seconds{1});
        }
        const std::chrono::hh_mm_ss time{local - day};
        if (!allows(rule_.hours, time.hours().count())) {
            return period + hours{1} - time.minutes() - time.seconds();
        }
        if (unit_ < hours{1} && !allows(rule_.minutes, time.minutes().count())) {
            return period + minutes{1} - time.seconds();
        }
        if (unit_ < minutes{1} && !allows(rule_.seconds, time.seconds().count())) {
            return period + seconds{1};
        }
        return period;
    }

    /// Collects the occurrences of a period, the latest first, because next() takes them from the
    /// end.
    void expand(Moment period)
    {
        waiting_.clear();
        if (offsets_.empty()) {
            const auto moment = period + (start_ - firstPeriod_);
            if (filter_.includes(floor<days>(localAt(moment)))) {
                waiting_.push_back(moment);
            }
            return;
        }
        for (const auto offset : offsets_) {
            // The clock may change within the period, so each time is computed with both zone
            // offsets.
            for (const auto probe : {period, period + unit_ - seconds{1}}) {
                const auto zoneOffset =
                    localAt(probe).time_since_epoch() - probe.time_since_epoch();
                const auto begin = LocalSeconds{period.time_since_epoch() + zoneOffset};
                const auto moment = period + (offset - offsetInPeriod(begin) + unit_) % unit_;
                const auto local = localAt(moment);
                if (offsetInPeriod(local) == offset && filter_.includes(floor<days>(local))) {
                    waiting_.push_back(moment);
                }
            }
        }
        std::ranges::sort(waiting_, std::ranges::greater{});
        waiting_.erase(std::unique(waiting_.begin(), waiting_.end()), waiting_.end());
    }

    /// The distance of a local time from the start of its hour, minute or second.
    seconds offsetInPeriod(LocalSeconds local) const
    {
        return seconds{local - LocalSeconds{floor<days>(local)}} % unit_;
    }

    /// The times within a period that the rule names; empty when it leaves them to the start.
    std::vector<seconds> offsetsInPeriod() const
    {
        const bool namesMinutes = unit_ == hours{1} && !rule_.minutes.empty();
        const bool namesSeconds = unit_ > seconds{1} && !rule_.seconds.empty();
        if (!namesMinutes && !namesSeconds) {
            return {};
        }
        const std::chrono::hh_mm_ss startOffset{offsetInPeriod(localAt(start_))};
        const auto minuteList = unit_ == hours{1}
                                    ? listOr(rule_.minutes, startOffset.minutes().count())
                                    : std::vector<int>{0};
        std::vector<seconds> offsets;
        for (const int minute : minuteList) {
            for (const int second : listOr(rule_.seconds, startOffset.seconds().count())) {
                offsets.push_back(minutes{minute} + seconds{second});
            }
        }
        return offsets;
    }

    const RecurrenceRule& rule_;
    const ZonedClock* zone_;
    Moment start_;
    Moment from_;
    Moment end_;
    DayFilter filter_;
    seconds unit_;
    seconds stride_;
    Moment firstPeriod_;            ///< where the period of the start begins
    std::int64_t periodIndex_;      ///< the next period to look at, counted from `firstPeriod_`
    std::vector<seconds> offsets_;  ///< of the times within a period; empty = as the start
    std::vector<Moment> waiting_;
};

/// The occurrences as local times, whatever the zone. Borrows the rule.
Occurrences<LocalSeconds> localOccurrences(const RecurrenceRule& rule,
                                           const OccurrenceSpan<LocalSeconds>& span)
{
    if (!rule.isSubDaily()) {
        return DailyOccurrences(rule, span);
    }
    const auto asMoment = [](LocalSeconds local) {
        return std::chrono::sys_seconds{local.time_since_epoch()};
    };
    return [moments = SubDailyOccurrences(
                rule, nullptr, span.start,
                {asMoment(span.start), asMoment(span.from), asMoment(span.end)})]() mutable {
        const auto moment = moments.next();
        return moment ? std::optional{LocalSeconds{moment->time_since_epoch()}} : std::nullopt;
    };
}

/// The moments of a rule that counts elapsed time (RecurrenceRule::countsElapsedTime()). Periods of
/// INTERVAL hours, minutes or seconds follow each other evenly from the start on, whatever the
/// clocks of the zone do: every two hours stays every two hours. Days, minutes and seconds of the
/// rule are compared with the local time at that instant; a rule that names no minutes takes those
/// of the start, at even intervals. `localStart` is the local time of the start of the span, also
/// where the clock skips it. Borrows rule and zone.
Occurrences<TimePoint> instantOccurrences(const RecurrenceRule& rule,
                                          const ZonedClock& zone,
                                          LocalSeconds localStart,
                                          const OccurrenceSpan<TimePoint>& span)
{
    return [moments = SubDailyOccurrences(rule, &zone, localStart,
                                          {floor<seconds>(span.start),
                                           std::chrono::ceil<seconds>(span.from),
                                           floor<seconds>(span.end)})]() mutable {
        return std::optional<TimePoint>(moments.next());
    };
}

}  // namespace

Result<Recurrence> Recurrence::parse(std::string_view rule,
                                     ZonedClock zone,
                                     LocalSeconds start,
                                     Millis minInterval,
                                     std::optional<TimePoint> startInstant)
{
    auto parsedRule = TRY(RecurrenceRule::parse(rule));
    const std::chrono::year_month_day day{std::chrono::floor<days>(start)};
    if (day.year() < std::chrono::year{1970} || day.year() > std::chrono::year{2200}) {
        return invalid("the start of a recurrence is in the years 1970 to 2200");
    }
    const bool isRepeatedHour = startInstant && parsedRule.countsElapsedTime() &&
                                zone.localOf(*startInstant) == start &&
                                *startInstant > zone.instantOf(start);
    Recurrence recurrence(std::move(parsedRule), std::move(zone), start);
    recurrence.startInstant_ = isRepeatedHour ? startInstant : std::nullopt;
    TRY(recurrence.parseUntil());
    TRY(recurrence.checkOccurrences(minInterval));
    return recurrence;
}

Result<void> Recurrence::parseUntil()
{
    if (rule_.until.empty()) {
        return {};
    }
    std::string_view text = rule_.until;
    const bool isUtc = text.ends_with('Z');
    text.remove_suffix(isUtc ? 1 : 0);
    // A date without a time includes the whole day.
    constexpr auto kLastSecond = hours{24} - seconds{1};
    const auto local = parseLocalTime(toIsoLocalTime(text), kLastSecond);
    if (!local || (isUtc && text.size() == 8)) {
        return invalid("UNTIL={} is not a time; write UNTIL=20261231T080000Z, or for the time zone "
                       "of the rule UNTIL=20261231T090000 or UNTIL=20261231",
                       rule_.until);
    }
    until_ = isUtc ? TimePoint{local->time_since_epoch()} : zone_.instantOf(*local);
    return {};
}

Result<void> Recurrence::checkOccurrences(Millis minInterval) const
{
    // In local time, without changes of the clock: there the times of a day repeat.
    const auto occurrences = localOccurrences(rule_, {start_, start_, start_ + kLookahead});
    auto before = occurrences();
    if (!before || !next(TimePoint{start_.time_since_epoch()} - kLookahead)) {
        return invalid("{} never happens from {} on", rule_.text, formatLocal(start_));
    }
    for (int i = 1; i < kIntervalsChecked; ++i) {
        const auto local = occurrences();
        if (!local) {
            return {};
        }
        if (*local - *before < minInterval) {
            return invalid("{} happens at {} and again at {}; the shortest interval is {}",
                           rule_.text, formatLocal(*before), formatLocal(*local),
                           formatDuration(minInterval));
        }
        before = local;
    }
    return {};
}

std::optional<TimePoint> Recurrence::nextByElapsedTime(TimePoint after) const
{
    const auto startInstant = startInstant_.value_or(zone_.instantOf(start_));
    // What counts has to be counted from the start on.
    const auto from = rule_.count != 0 ? startInstant : std::max(startInstant, after + Millis{1});
    const auto occurrences = instantOccurrences(
        rule_, zone_, start_, {startInstant, from, std::max(startInstant, after) + kLookahead});
    std::uint32_t counted = 0;
    while (const auto moment = occurrences()) {
        if ((rule_.count != 0 && ++counted > rule_.count) || (until_ && *moment > *until_)) {
            break;
        }
        if (*moment > after) {
            return moment;
        }
    }
    return {};
}

std::optional<TimePoint> Recurrence::nextByLocalTime(TimePoint after) const
{
    const auto localAfter = zone_.localOf(after);
    // What counts has to be counted from the start on.
    const auto from = rule_.count != 0 ? start_ : std::max(start_, localAfter - kLongestGap);
    const auto occurrences =
        localOccurrences(rule_, {start_, from, std::max(start_, localAfter) + kLookahead});
    std::optional<TimePoint> earliest;
    std::uint32_t counted = 0;
    while (const auto local = occurrences()) {
        const auto at = zone_.instantOf(*local);
        // A local time in a gap becomes an instant that is later than that of some local times
        // after it. The local time of UNTIL may occur twice: then times after it are no later.
        if ((earliest && *local >= zone_.localOf(*earliest)) ||
            (rule_.count != 0 && ++counted > rule_.count) ||
            (until_ && at > *until_ && *local > zone_.localOf(*until_))) {
            break;
        }
        if (at > after && (!until_ || at <= *until_)) {
            earliest = earliest ? std::min(*earliest, at) : at;
        }
    }
    return earliest;
}

std::optional<TimePoint> Recurrence::last(TimePoint from, TimePoint until) const
{
    // Looking back twice as far each time keeps the number of occurrences small at any frequency.
    std::optional<TimePoint> latest;
    for (Millis back = std::chrono::minutes{1}; !latest && from < until; back *= 2) {
        const auto begin = std::max(from, until - back);
        auto at = next(begin - kSmallestStep);
        for (; at && *at < until; at = next(*at)) {
            latest = at;
        }
        if (begin == from) {
            break;
        }
    }
    return latest;
}

}  // namespace restante
