#include "core/schedule/zoned_clock.h"

#include "core/base/text.h"
#include "core/base/timestamp.h"

#include <fmt/format.h>
#include <utility>

namespace restante {

using std::chrono::seconds;
using std::chrono::sys_seconds;

namespace {

constexpr std::size_t kLongestZoneName = 64;
/// Bytes of a wrong text that an error message repeats.
constexpr std::size_t kLongestQuote = 64;

/// Whether the name cannot lead out of the zone directory.
bool isSafeZoneName(std::string_view name)
{
    return name.size() <= kLongestZoneName && !name.starts_with('/') && consistsOf(name, "_+-/");
}

}  // namespace

Result<ZonedClock> ZonedClock::find(std::string_view name)
{
    auto zone = isSafeZoneName(name) ? TimeZone::load(std::string(name))
                                     : failure(ErrorCode::NotFound, "not a name");
    if (!zone) {
        return invalid("\"{}\" is not a time zone of this system; write an IANA name such as "
                       "Europe/Berlin or UTC (from the package tzdata)",
                       name.substr(0, kLongestQuote));
    }
    return ZonedClock(std::string(name), std::move(*zone));
}

seconds ZonedClock::offsetAt(sys_seconds at) const noexcept
{
    return std::chrono::floor<seconds>(zone_->offsetAt(at));
}

LocalSeconds ZonedClock::localOf(TimePoint at) const noexcept
{
    const auto moment = std::chrono::floor<seconds>(at);
    return LocalSeconds{(moment + offsetAt(moment)).time_since_epoch()};
}

TimePoint ZonedClock::instantOf(LocalSeconds local) const noexcept
{
    // No offset is larger than a day, and no zone changes twice within two.
    const sys_seconds asUtc{local.time_since_epoch()};
    const auto offsetBefore = offsetAt(asUtc - std::chrono::hours{24});
    const auto offsetAfter = offsetAt(asUtc + std::chrono::hours{24});
    const auto firstInstant = asUtc - offsetBefore;
    // True before a change or without one, and in a gap; otherwise the change is over.
    if (offsetAt(firstInstant) == offsetBefore || offsetAt(asUtc - offsetAfter) != offsetAfter) {
        return firstInstant;
    }
    return asUtc - offsetAfter;
}

Result<LocalSeconds> parseLocalTime(std::string_view text, Millis timeOfDay)
{
    const bool isDate = text.size() == std::string_view("2026-12-31").size();
    // Parsed as UTC, where every local time exists; a zone in the text would be a second one and is
    // refused.
    const auto at = parseTimestamp(fmt::format("{}{}Z", text, isDate ? "T00:00" : ""));
    if (!at || text.find('.') != std::string_view::npos) {
        return invalid("\"{}\" is not a date or a local time; write 2026-12-31 or 2026-12-31 09:00",
                       text.substr(0, kLongestQuote));
    }
    const auto local = at->time_since_epoch() + (isDate ? timeOfDay : Millis{0});
    return LocalSeconds{std::chrono::floor<seconds>(local)};
}

std::string formatLocal(LocalSeconds local)
{
    const auto midnight = std::chrono::floor<std::chrono::days>(local);
    const std::chrono::year_month_day date{midnight};
    const std::chrono::hh_mm_ss time{local - midnight};
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       time.hours().count(), time.minutes().count(), time.seconds().count());
}

}  // namespace restante
