#include "core/sms/quiet_hours.h"

#include "core/base/text.h"

#include <chrono>

namespace restante::sms {

namespace {
constexpr Millis kDay{std::chrono::hours{24}};

std::optional<int> twoDigitNumber(std::string_view text, int most)
{
    const auto value = isDigits(text) ? wholeNumber<int>(text) : std::nullopt;
    return value && text.size() == 2 && *value <= most ? value : std::nullopt;
}

std::optional<Millis> timeOfDay(std::string_view text)
{
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) {
        return {};
    }
    const auto hour = twoDigitNumber(text.substr(0, colon), 23);
    const auto minute = twoDigitNumber(text.substr(colon + 1), 59);
    if (!hour || !minute) {
        return {};
    }
    return std::chrono::hours{*hour} + std::chrono::minutes{*minute};
}

Millis sinceMidnight(TimePoint at, const TimeZone& zone)
{
    const auto local = (at.time_since_epoch() + zone.offsetAt(at)) % kDay;
    return local < Millis{0} ? local + kDay : local;
}
/// When the clocks are changed in the time after `before` until `after`, to the millisecond.
TimePoint changeBetween(TimePoint before, TimePoint after, const TimeZone& zone)
{
    if (after < before) {
        std::swap(before, after);
    }
    const auto offset = zone.offsetAt(before);
    while (after - before > Millis{1}) {
        const auto middle = before + (after - before) / 2;
        (zone.offsetAt(middle) == offset ? before : after) = middle;
    }
    return after;
}
}  // namespace

std::optional<QuietHours> QuietHours::parse(std::string_view text)
{
    const auto dash = text.find('-');
    if (dash == std::string_view::npos) {
        return {};
    }
    const auto begin = timeOfDay(text.substr(0, dash));
    const auto end = timeOfDay(text.substr(dash + 1));
    if (!begin || !end || *begin == *end) {
        return {};
    }
    QuietHours hours;
    hours.begin_ = *begin;
    hours.end_ = *end;
    return hours;
}

std::optional<TimePoint> QuietHours::endOf(TimePoint now, const TimeZone& zone) const
{
    const auto local = sinceMidnight(now, zone);
    const bool quiet =
        begin_ < end_ ? local >= begin_ && local < end_ : local >= begin_ || local < end_;
    if (!quiet) {
        return {};
    }
    const auto guess = now + (local < end_ ? end_ - local : kDay - local + end_);
    // The clocks may have been changed on the way there.
    const auto end = guess + zone.offsetAt(now) - zone.offsetAt(guess);
    // A time of day that the clocks leave out has come when they do.
    const bool exists = end > now && sinceMidnight(end, zone) == end_;
    return exists ? end : changeBetween(std::max(end, now), guess, zone);
}

bool isTimeZone(const std::string& name)
{
    return TimeZone::load(name).has_value();
}

}  // namespace restante::sms
