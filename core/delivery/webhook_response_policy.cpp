#include "core/delivery/webhook_response_policy.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace restante::delivery {

namespace {

using Kind = Outcome::Kind;

constexpr Millis kLongestPause{std::chrono::hours{24}};
constexpr int kGone = 410;
constexpr int kUnprocessable = 422;

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<int> number(std::string_view text)
{
    const auto value = wholeNumber<int>(text);
    return value && *value >= 0 ? value : std::nullopt;
}

std::optional<Millis> timeOfDay(std::string_view text)
{
    const auto parts = splitWords(text, ":");
    if (parts.size() != 3) {
        return {};
    }
    const auto hour = number(parts[0]);
    const auto minute = number(parts[1]);
    const auto second = number(parts[2]);
    if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) {
        return {};
    }
    return std::chrono::hours{*hour} + std::chrono::minutes{*minute} +
           std::chrono::seconds{*second};
}

/// A year of two digits is the one that is not more than 50 years ahead.
int fullYear(int year, std::string_view text, TimePoint now)
{
    if (text.size() > 2) {
        return year;
    }
    const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(now)};
    const int thisYear = static_cast<int>(today.year());
    const int guess = thisYear / 100 * 100 + year;
    return guess > thisYear + 50 ? guess - 100 : guess;
}

/// "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994":
/// each has one month's name, one time, and first the day, then the year.
std::optional<TimePoint> parseHttpDate(std::string_view text, TimePoint now)
{
    std::optional<unsigned> month;
    std::optional<Millis> time;
    std::optional<int> day;
    std::optional<int> year;
    for (const auto word : splitWords(text, " ,-\t")) {
        const auto* named = std::ranges::find(kMonths, word);
        if (named != kMonths.end()) {
            month = static_cast<unsigned>(named - kMonths.begin()) + 1;
        } else if (word.find(':') != std::string_view::npos) {
            time = timeOfDay(word);
        } else if (const auto value = number(word)) {
            if (day) {
                year = fullYear(*value, word, now);
            } else {
                day = value;
            }
        }
    }
    if (!month || !time || !day || !year || *day > 31 || *year > 9'999) {
        return {};
    }
    const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{*month},
                                           std::chrono::day{static_cast<unsigned>(*day)}};
    return date.ok() ? std::optional{TimePoint{std::chrono::sys_days{date}} + *time} : std::nullopt;
}

Outcome outcomeOfFailure(const HttpError& failure, const WebUrl& url)
{
    const bool isForGood =
        failure.kind == HttpError::Kind::Invalid ||
        // A name may resolve to another address later; an address stays the same.
        (failure.kind == HttpError::Kind::Refused && url.isAddress());
    return {.kind = isForGood ? Kind::Dead : Kind::Retry, .reason = failure.message};
}

}  // namespace

std::optional<Millis> parseRetryAfter(std::string_view text, TimePoint now)
{
    if (isDigits(text)) {
        const auto seconds = number(text);  // none = more than fits
        return seconds ? std::min<Millis>(std::chrono::seconds{*seconds}, kLongestPause)
                       : kLongestPause;
    }
    const auto date = parseHttpDate(text, now);
    return date ? std::optional{std::clamp(*date - now, Millis{0}, kLongestPause)} : std::nullopt;
}

Outcome outcomeOf(const HttpResult& result, const WebUrl& url, TimePoint now)
{
    if (!result) {
        return outcomeOfFailure(result.error(), url);
    }
    const int status = result->status;
    if (status >= 200 && status < 300) {
        return {};
    }
    auto reason = fmt::format("{} from {}", status, url.authority());
    if (status == kGone || status == kUnprocessable) {
        return {.kind = Kind::Dead, .reason = std::move(reason)};
    }
    if (status >= 300 && status < 400) {
        reason += ": redirections are not followed";
    }
    const auto pause = parseRetryAfter(result->header("Retry-After"), now);
    return {.kind = Kind::Retry, .reason = std::move(reason), .wait = pause.value_or(Millis{0})};
}

}  // namespace restante::delivery
