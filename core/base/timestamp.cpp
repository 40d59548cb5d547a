#include "core/base/timestamp.h"

#include "core/base/duration.h"
#include "core/base/text.h"

#include <array>
#include <ctime>
#include <fmt/format.h>
#include <optional>

namespace restante {

namespace {

/// Reads a text from the left; isFullyRead() tells at the end whether all of it has matched.
class Scanner {
public:
    explicit Scanner(std::string_view text) : rest_(text) {}

    int readDigits(std::size_t count)
    {
        const auto front = rest_.substr(0, count);
        if (front.size() < count || !isDigits(front)) {
            failed_ = true;
            return 0;
        }
        rest_.remove_prefix(count);
        return wholeNumber<int>(front).value_or(0);
    }
    bool skip(std::string_view oneOf)
    {
        if (rest_.empty() || oneOf.find(rest_.front()) == std::string_view::npos) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }
    void expect(std::string_view oneOf) { failed_ = !skip(oneOf) || failed_; }
    char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
    bool isFullyRead() const { return !failed_ && rest_.empty(); }

    /// What stands behind the point: "250" or "25" as 250; digits behind the third are read and
    /// dropped.
    int readFractionMs()
    {
        int ms = 0;
        int weight = 100;
        failed_ = failed_ || peek() < '0' || peek() > '9';
        for (; peek() >= '0' && peek() <= '9'; weight /= 10) {
            ms += weight * (peek() - '0');
            rest_.remove_prefix(1);
        }
        return ms;
    }

private:
    std::string_view rest_;
    bool failed_ = false;
};

struct ParsedTime {
    std::tm calendar{};
    int ms = 0;
    std::optional<int> zoneMinutes;  ///< none = local time
};

std::optional<ParsedTime> scanTime(std::string_view text)
{
    Scanner scanner(text);
    ParsedTime parsed;
    auto& calendar = parsed.calendar;
    calendar.tm_year = scanner.readDigits(4) - 1900;
    scanner.expect("-");
    calendar.tm_mon = scanner.readDigits(2) - 1;
    scanner.expect("-");
    calendar.tm_mday = scanner.readDigits(2);
    scanner.expect("Tt ");
    calendar.tm_hour = scanner.readDigits(2);
    scanner.expect(":");
    calendar.tm_min = scanner.readDigits(2);
    if (scanner.skip(":")) {
        calendar.tm_sec = scanner.readDigits(2);
        if (scanner.skip(".")) {
            parsed.ms = scanner.readFractionMs();
        }
    }
    if (scanner.skip("Zz")) {
        parsed.zoneMinutes = 0;
    } else if (const char sign = scanner.peek(); scanner.skip("+-")) {
        const int hours = scanner.readDigits(2);
        scanner.expect(":");
        const int minutes = scanner.readDigits(2);
        if (hours > 23 || minutes > 59) {
            return {};
        }
        parsed.zoneMinutes = (hours * 60 + minutes) * (sign == '-' ? -1 : 1);
    }
    return scanner.isFullyRead() ? std::optional{parsed} : std::nullopt;
}

/// 30 February and 25 o'clock become other days when they are normalized.
bool existsInCalendar(const std::tm& calendar)
{
    auto normalized = calendar;
    timegm(&normalized);
    return normalized.tm_mday == calendar.tm_mday && normalized.tm_mon == calendar.tm_mon &&
           normalized.tm_hour == calendar.tm_hour && normalized.tm_min == calendar.tm_min &&
           normalized.tm_sec == calendar.tm_sec;
}

std::string
formatTime(TimePoint at, const char* format, std::tm* (*toCalendar)(const std::time_t*, std::tm*))
{
    const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
    const std::time_t time = seconds.time_since_epoch().count();
    std::tm calendar{};
    toCalendar(&time, &calendar);
    std::array<char, 64> text{};
    return {text.data(), std::strftime(text.data(), text.size(), format, &calendar)};
}

/// The years that RFC 3339 can write: 0000-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z.
constexpr TimePoint kStartOfYear0000{Millis{-62'167'219'200'000}};
constexpr TimePoint kEndOfYear9999{Millis{253'402'300'799'999}};

/// Writes `value` as `count` digits at the index `first`.
void putDigits(std::string& text, std::size_t first, std::size_t count, unsigned value)
{
    for (auto i = first + count; i-- > first; value /= 10) {
        text[i] = static_cast<char>('0' + value % 10);
    }
}

}  // namespace

Result<TimePoint> parseTimestamp(std::string_view text)
{
    auto parsed = scanTime(text);
    if (!parsed || !existsInCalendar(parsed->calendar)) {
        return invalid("\"{}\" is not a time; write 2026-12-31T09:00:00Z, "
                       "2026-12-31T09:00:00+01:00 or, for local time, 2026-12-31 09:00",
                       text);
    }
    auto& calendar = parsed->calendar;
    calendar.tm_isdst = -1;  // mktime finds out
    const auto seconds = parsed->zoneMinutes
                             ? timegm(&calendar) - std::time_t{*parsed->zoneMinutes} * 60
                             : mktime(&calendar);
    return fromEpochMs(std::int64_t{seconds} * 1000 + parsed->ms);
}

std::string formatRfc3339(TimePoint at)
{
    using namespace std::chrono;
    const auto seconds = floor<std::chrono::seconds>(at);
    if (at < kStartOfYear0000 || at > kEndOfYear9999) {
        const auto ms = (at - seconds).count();
        return fmt::format("{}.{:03}Z", formatTime(at, "%Y-%m-%dT%H:%M:%S", gmtime_r), ms);
    }
    // An answer has three times for each job, and strftime() takes five times as long.
    const auto midnight = floor<days>(seconds);
    const year_month_day date{midnight};
    const hh_mm_ss time{at - midnight};
    std::string text = "0000-00-00T00:00:00.000Z";
    putDigits(text, 0, 4, static_cast<unsigned>(static_cast<int>(date.year())));
    putDigits(text, 5, 2, static_cast<unsigned>(date.month()));
    putDigits(text, 8, 2, static_cast<unsigned>(date.day()));
    putDigits(text, 11, 2, static_cast<unsigned>(time.hours().count()));
    putDigits(text, 14, 2, static_cast<unsigned>(time.minutes().count()));
    putDigits(text, 17, 2, static_cast<unsigned>(time.seconds().count()));
    putDigits(text, 20, 3, static_cast<unsigned>(time.subseconds().count()));
    return text;
}

std::string formatLocalTime(TimePoint at)
{
    return formatTime(at, "%Y-%m-%d %H:%M:%S", localtime_r);
}

std::string formatRelative(TimePoint at, TimePoint now)
{
    using namespace std::chrono_literals;
    const auto distance = at > now ? at - now : now - at;
    const auto unit = distance >= 24h ? Millis{1h} : distance >= 1h ? Millis{1min} : Millis{1s};
    const auto rounded = distance / unit * unit;
    if (rounded == 0ms) {
        return "now";
    }
    return at > now ? "in " + formatDuration(rounded) : formatDuration(rounded) + " ago";
}

}  // namespace restante
