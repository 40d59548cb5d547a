#include "sipplugin/message/sip_date.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <fmt/compile.h>
#include <limits>

namespace restante::sip {

namespace {

constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

}  // namespace

std::string formatSipDate(TimePoint at)
{
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::seconds>(at - day)};
    return fmt::format(
        FMT_COMPILE("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT"),
        kDays[std::chrono::weekday{day}.c_encoding()], static_cast<unsigned>(date.day()),
        kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
        time.hours().count(), time.minutes().count(), time.seconds().count());
}

Result<TimePoint> parseSipDate(std::string_view text)
{
    const auto refused =
        invalid("Date \"{}\" is not of the form \"Sat, 13 Nov 2010 23:29:00 GMT\"", text);
    std::array<char, 4> weekday{};
    std::array<char, 4> month{};
    unsigned day = 0;
    int year = 0;
    unsigned hours = 0;
    unsigned minutes = 0;
    unsigned seconds = 0;
    int charsRead = 0;
    const std::string line{text};
    const int fieldCount = std::sscanf(
        line.c_str(), "%3[A-Za-z], %2u %3[A-Za-z] %4d %2u:%2u:%2u GMT%n", weekday.data(), &day,
        month.data(), &year, &hours, &minutes, &seconds, &charsRead);
    const auto* found = std::ranges::find(kMonths, std::string_view{month.data()});
    if (fieldCount != 7 || static_cast<std::size_t>(charsRead) != line.size() ||
        found == kMonths.end()) {
        return refused;
    }
    const std::chrono::year_month_day date{
        std::chrono::year{year},
        std::chrono::month{static_cast<unsigned>(found - kMonths.begin()) + 1},
        std::chrono::day{day}};
    // 60: a leap second may be written.
    if (!date.ok() || hours > 23 || minutes > 59 || seconds > 60) {
        return refused;
    }
    return TimePoint{std::chrono::sys_days{date} + std::chrono::hours{hours} +
                     std::chrono::minutes{minutes} + std::chrono::seconds{seconds}};
}

std::optional<std::chrono::seconds> wholeSeconds(std::string_view text) noexcept
{
    const auto seconds = wholeNumber<std::uint32_t>(text);
    return seconds ? std::optional{std::chrono::seconds{*seconds}} : std::nullopt;
}

std::optional<std::chrono::seconds> deltaSeconds(std::string_view text) noexcept
{
    constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
    return isDigits(text) ? std::optional{std::chrono::seconds{
                                wholeNumber<std::uint32_t>(text).value_or(kMost)}}
                          : std::nullopt;
}

}  // namespace restante::sip
