#include "core/schedule/recurrence.h"

#include "core/base/duration.h"
#include "core/schedule/occurrences.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace restante {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::seconds;

/// 29 February is missing for eight years around 2100, and a fifth Monday on one comes every
/// twenty-eight.
constexpr days kLooksAhead{40 * 366};

/// How far a zone's clock may jump: Samoa left out a whole day in 2011.
constexpr hours kLongestGap{25};

/// Occurrences whose distances are looked at: the times of a day repeat, so that a few days tell.
constexpr int kDistancesChecked = 500;

tl::unexpected<Error> invalid(std::string message)
{
    return failure(ErrorCode::Invalid, std::move(message));
}

/// "20261231", "20261231T080000", "20261231T080000Z" as "2026-12-31 08:00:00"; empty when it is
/// none of them.
std::string withDashes(std::string_view until)
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

}  // namespace

Recurrence::Recurrence(RecurrenceRule rule, ZonedClock zone, LocalSeconds start)
    : rule_(std::move(rule)),
      zone_(std::move(zone)),
      start_(start)
{
}

Result<Recurrence> Recurrence::parse(std::string_view rule,
                                     ZonedClock zone,
                                     LocalSeconds start,
                                     Millis minInterval,
                                     std::optional<TimePoint> begin)
{
    auto parts = RecurrenceRule::parse(rule);
    if (!parts) {
        return tl::unexpected(std::move(parts.error()));
    }
    const std::chrono::year_month_day day{std::chrono::floor<days>(start)};
    if (day.year() < std::chrono::year{1970} || day.year() > std::chrono::year{2200}) {
        return invalid("the start of a recurrence is in the years 1970 to 2200");
    }
    const bool isSecond = begin && parts->countsElapsedTime() && zone.localOf(*begin) == start &&
                          *begin > zone.instantOf(start);
    Recurrence recurrence(std::move(*parts), std::move(zone), start);
    recurrence.begin_ = isSecond ? begin : std::nullopt;
    return recurrence.readUntil()
        .and_then([&] { return recurrence.checkDistances(minInterval); })
        .map([&] { return std::move(recurrence); });
}

Result<void> Recurrence::readUntil()
{
    if (rule_.until.empty()) {
        return {};
    }
    std::string_view text = rule_.until;
    const bool isUtc = text.ends_with('Z');
    text.remove_suffix(isUtc ? 1 : 0);
    // A date alone lets the whole day in.
    constexpr auto kLastSecond = hours{24} - seconds{1};
    const auto local = parseLocalTime(withDashes(text), kLastSecond);
    if (!local || (isUtc && text.size() == 8)) {
        return invalid(fmt::format("UNTIL={} is not a time; write UNTIL=20261231T080000Z, or for "
                                   "the time zone of the rule UNTIL=20261231T090000 or "
                                   "UNTIL=20261231",
                                   rule_.until));
    }
    until_ = isUtc ? TimePoint{local->time_since_epoch()} : zone_.instantOf(*local);
    return {};
}

Result<void> Recurrence::checkDistances(Millis minInterval) const
{
    // As on days without a change of clocks, where the times of a day repeat.
    const auto occurrences = readingsOf(rule_, {start_, start_, start_ + kLooksAhead});
    auto before = occurrences();
    if (!before || !next(TimePoint{start_.time_since_epoch()} - kLooksAhead)) {
        return invalid(fmt::format("{} never happens from {} on", rule_.text, printLocal(start_)));
    }
    for (int i = 1; i < kDistancesChecked; ++i) {
        const auto reading = occurrences();
        if (!reading) {
            return {};
        }
        if (*reading - *before < minInterval) {
            return invalid(fmt::format(
                "{} happens at {} and again at {}; the shortest interval is {}", rule_.text,
                printLocal(*before), printLocal(*reading), printDuration(minInterval)));
        }
        before = reading;
    }
    return {};
}

std::optional<TimePoint> Recurrence::next(TimePoint after) const
{
    return rule_.countsElapsedTime() ? nextMoment(after) : nextReading(after);
}

std::optional<TimePoint> Recurrence::nextMoment(TimePoint after) const
{
    const auto begin = begin_.value_or(zone_.instantOf(start_));
    // What counts has to be counted from the start on.
    const auto from = rule_.count != 0 ? begin : std::max(begin, after + Millis{1});
    const auto occurrences =
        momentsOf(rule_, zone_, start_, {begin, from, std::max(begin, after) + kLooksAhead});
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

std::optional<TimePoint> Recurrence::nextReading(TimePoint after) const
{
    const auto now = zone_.localOf(after);
    // What counts has to be counted from the start on.
    const auto from = rule_.count != 0 ? start_ : std::max(start_, now - kLongestGap);
    const auto occurrences = readingsOf(rule_, {start_, from, std::max(start_, now) + kLooksAhead});
    std::optional<TimePoint> found;
    std::uint32_t counted = 0;
    while (const auto reading = occurrences()) {
        // A reading in a gap is moved behind some of those that follow it.
        if ((found && *reading >= zone_.localOf(*found)) ||
            (rule_.count != 0 && ++counted > rule_.count) ||
            (until_ && *reading > zone_.localOf(*until_))) {
            break;
        }
        const auto at = zone_.instantOf(*reading);
        if (at > after && (!until_ || at <= *until_)) {
            found = found ? std::min(*found, at) : at;
        }
    }
    return found;
}

}  // namespace restante
