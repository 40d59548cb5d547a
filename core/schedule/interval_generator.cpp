#include "core/schedule/interval_generator.h"

#include <algorithm>
#include <functional>

namespace restante {

namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

/// Steps without a moment after which we give up: some milliseconds. Days that do not fit are
/// skipped as one step, and so are minutes, so only nonsense gets here.
constexpr std::uint32_t kMostSteps = 100'000;

bool allows(const std::vector<int>& list, std::int64_t value)
{
    return list.empty() || std::binary_search(list.begin(), list.end(), static_cast<int>(value));
}

std::vector<int> listOr(const std::vector<int>& list, std::int64_t otherwise)
{
    return list.empty() ? std::vector<int>{static_cast<int>(otherwise)} : list;
}

seconds unitOf(RecurrenceRule::Frequency frequency)
{
    using enum RecurrenceRule::Frequency;
    return frequency == Hourly     ? seconds{hours{1}}
           : frequency == Minutely ? seconds{minutes{1}}
                                   : seconds{1};
}

}  // namespace

IntervalGenerator::IntervalGenerator(const RecurrenceRule& rule,
                                     const ZonedClock& zone,
                                     LocalSeconds start,
                                     const Span& span)
    : rule_(rule),
      zone_(zone),
      start_(floor<seconds>(span.start)),
      from_(std::max(start_, std::chrono::ceil<seconds>(span.from))),
      end_(floor<seconds>(span.end)),
      filter_(rule, floor<days>(start)),
      unit_(unitOf(rule.frequency)),
      stride_(unit_ * rule.interval),
      // With minutes or seconds of its own the period is the clock's hour or minute.
      first_(start_ - placeOf(readingAt(start_))),
      step_((from_ - first_) / stride_),
      places_(places())
{
}

LocalSeconds IntervalGenerator::readingAt(Seconds at) const noexcept
{
    return zone_.localOf(at);
}

std::optional<TimePoint> IntervalGenerator::next()
{
    for (std::uint32_t steps = 0; steps < kMostSteps; ++steps) {
        while (!waiting_.empty()) {
            const auto moment = waiting_.back();
            waiting_.pop_back();
            if (moment >= from_) {
                return moment <= end_ ? std::optional<TimePoint>{moment} : std::nullopt;
            }
        }
        const auto period = first_ + step_ * stride_;
        if (period > end_) {
            return {};
        }
        if (const auto fitting = nextFitting(period); fitting > period) {
            step_ = (fitting - first_ + stride_ - seconds{1}) / stride_;
        } else {
            expand(period);
            ++step_;
        }
    }
    return {};
}

/// `period` itself when something of it may fit, else the earliest moment at which one can again.
IntervalGenerator::Seconds IntervalGenerator::nextFitting(Seconds period) const
{
    const auto reading = readingAt(period);
    // An hour may lie on two days, in a zone that is not whole hours from where it began: expand()
    // looks at each moment's own.
    const auto day = floor<days>(reading + unit_ - seconds{1});
    if (!filter_.fits(floor<days>(reading)) && !filter_.fits(day)) {
        const auto midnight = floor<seconds>(zone_.instantOf(LocalSeconds{day + days{1}}));
        // Not ahead when the clock goes back over midnight: then one period at a time.
        return std::max(midnight - unit_ + seconds{1}, period + seconds{1});
    }
    const std::chrono::hh_mm_ss time{reading - floor<days>(reading)};
    if (unit_ < hours{1} && !allows(rule_.minutes, time.minutes().count())) {
        return period + minutes{1} - time.seconds();
    }
    if (unit_ < minutes{1} && !allows(rule_.seconds, time.seconds().count())) {
        return period + seconds{1};
    }
    return period;
}

/// The occurrences within a period; the latest first, because they are taken off the end.
void IntervalGenerator::expand(Seconds period)
{
    waiting_.clear();
    if (places_.empty()) {
        const auto moment = period + (start_ - first_);
        if (filter_.fits(floor<days>(readingAt(moment)))) {
            waiting_.push_back(moment);
        }
        return;
    }
    for (const auto within : places_) {
        // The clock may be set within the period, so each place is looked for with both offsets.
        for (const auto near : {period, period + unit_ - seconds{1}}) {
            const auto offset = readingAt(near).time_since_epoch() - near.time_since_epoch();
            const auto begin = LocalSeconds{period.time_since_epoch() + offset};
            const auto moment = period + (within - placeOf(begin) + unit_) % unit_;
            const auto reading = readingAt(moment);
            if (placeOf(reading) == within && filter_.fits(floor<days>(reading))) {
                waiting_.push_back(moment);
            }
        }
    }
    std::sort(waiting_.begin(), waiting_.end(), std::greater<>{});
    waiting_.erase(std::unique(waiting_.begin(), waiting_.end()), waiting_.end());
}

/// How far a reading is into its hour, minute or second.
seconds IntervalGenerator::placeOf(LocalSeconds reading) const
{
    const seconds time = reading - LocalSeconds{floor<days>(reading)};
    return time % unit_;
}

/// Where in a period the clock reads what the rule says; none when that is left to the start.
std::vector<seconds> IntervalGenerator::places() const
{
    if (!(unit_ == hours{1} && !rule_.minutes.empty()) &&
        !(unit_ > seconds{1} && !rule_.seconds.empty())) {
        return {};
    }
    const std::chrono::hh_mm_ss open{placeOf(readingAt(start_))};
    std::vector<int> minuteList{0};
    std::vector<int> secondList{0};
    if (unit_ == hours{1}) {
        minuteList = listOr(rule_.minutes, open.minutes().count());
    }
    if (unit_ > seconds{1}) {
        secondList = listOr(rule_.seconds, open.seconds().count());
    }
    std::vector<seconds> places;
    for (const int minute : minuteList) {
        for (const int second : secondList) {
            places.push_back(minutes{minute} + seconds{second});
        }
    }
    return places;
}

}  // namespace restante
