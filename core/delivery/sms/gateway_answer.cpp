#include "core/delivery/sms/gateway_answer.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace restante::sms {

namespace {

using delivery::HttpAnswer;
using delivery::Outcome;

// Longer waits are somebody's mistake; the retry schedule goes on by itself.
constexpr Millis kLongestRetryAfter{std::chrono::hours{24}};

/// Retry-After in seconds; a date is not read, as gateways do not send one.
Millis retryAfter(const HttpAnswer& answer)
{
    const auto seconds = wholeNumber<std::uint32_t>(answer.header("Retry-After"));
    return std::min<Millis>(std::chrono::seconds{seconds.value_or(0)}, kLongestRetryAfter);
}

std::string_view whatToDo(int status)
{
    switch (status) {
    case 401:
    case 403: return "; check sms.user, sms.password_file and what the gateway allows them";
    case 404: return "; check sms.url";
    case 402: return "; is the account empty?";
    default: return "";
    }
}

}  // namespace

Outcome refusalOf(std::string_view gateway, const HttpAnswer& answer)
{
    constexpr std::array kForGood{400, 410, 413, 414, 422};
    const bool dead = std::find(kForGood.begin(), kForGood.end(), answer.status) != kForGood.end();
    const auto words = wordsOf(answer);
    return {dead ? Outcome::Kind::Dead : Outcome::Kind::Retry,
            fmt::format("{} from {}{}{}{}", answer.status, gateway, words.empty() ? "" : ": ",
                        words, whatToDo(answer.status)),
            retryAfter(answer)};
}

std::string wordsOf(const HttpAnswer& answer)
{
    constexpr std::size_t kMost = 160;
    std::string words = answer.body.substr(0, kMost);
    for (char& c : words) {
        const auto byte = static_cast<unsigned char>(c);
        // What is cut, or was no UTF-8 from the beginning, would not go into JSON.
        c = byte >= 0x80 ? '?' : byte < 0x20 || byte == 0x7f ? ' ' : c;
    }
    return std::string(trimmedAtEnd(words, " "));
}

std::string hostOf(std::string_view url)
{
    const auto scheme = url.find("://");
    auto rest = scheme == std::string_view::npos ? url : url.substr(scheme + 3);
    rest = rest.substr(0, rest.find_first_of("/?#"));
    return std::string(rest.substr(rest.find('@') + 1));
}

}  // namespace restante::sms
