#include "sipplugin/message/answers.h"

#include "core/base/text.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace restante::sip {

namespace {

/// The failure concerns the recipient, not the message: a later attempt or another device may
/// succeed. 401, 407 and 494 point to our configuration, which an operator repairs. 404, 480 and
/// 408 wait for the schedule, because a registration may go unnoticed, and a proxy that has just
/// started knows nobody.
constexpr int kClientRetry[] = {
    401,  // the peer wants credentials
    404,  // not registered there, or the device has dropped this contact
    407,  // the proxy wants credentials
    408,  // nobody answered us, or the proxy
    439,  // the first hop does not speak outbound (RFC 5626)
    440,  // too many branches on the way (RFC 5393)
    470,  // the recipient has not consented yet (RFC 5360)
    480,  // temporarily unavailable
    481,  // the device has lost its state
    482,  // a loop, or the device still works on our previous attempt
    483,  // too many hops: a routing mistake
    484,  // the proxy cannot resolve the address
    485,  // the address is ambiguous to the proxy
    486,  // busy
    487,  // cancelled by a proxy on the way
    491,  // another request is pending
    494,  // the peer wants a security agreement (RFC 3329)
};

/// Only a new registration can help.
constexpr int kClientHold[] = {
    410,  // gone from this address, and nobody knows where to
    430,  // the flow to the device has failed: it makes another when it registers (RFC 5626)
};

/// These server failures concern the message; all others concern the server.
constexpr int kServerDead[] = {
    501,  // MESSAGE is not implemented
    505,  // SIP/2.0 is not spoken
    513,  // too large
    580,  // a precondition cannot be met
};

/// Refusals that are temporary when they carry a Retry-After (RFC 3261 section 20.33).
constexpr int kTemporaryWithRetryAfter[] = {413, 600, 603};

constexpr Millis kLongestPause = std::chrono::hours{24};

template <std::size_t N>
bool isAmong(const int (&statuses)[N], int status) noexcept
{
    return std::find(std::begin(statuses), std::end(statuses), status) != std::end(statuses);
}

Verdict defaultVerdict(const DeviceAnswer& answer) noexcept
{
    const int status = answer.status;
    if (answer.retryAfter && isAmong(kTemporaryWithRetryAfter, status)) {
        return Verdict::Retry;
    }
    switch (status / 100) {
    case 4:
        return isAmong(kClientRetry, status)  ? Verdict::Retry
               : isAmong(kClientHold, status) ? Verdict::Hold
                                              : Verdict::Dead;
    case 5: return isAmong(kServerDead, status) ? Verdict::Dead : Verdict::Retry;
    case 6: return Verdict::Dead;
    default: return Verdict::Retry;  // a redirection that leads nowhere
    }
}

/// We reconnect within two seconds of Redis's return; a client that waits this long succeeds.
constexpr int kStoreRetrySeconds = 5;

/// Far above any standard phrase; it is kept with the message and returned to the sender.
constexpr std::size_t kLongestPhrase = 256;

/// Whether `c` continues a UTF-8 character.
bool isContinuation(char c)
{
    return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

/// As a quoted-string: no quote, backslash or control character inside.
std::string warning(std::string_view why)
{
    std::string text;
    for (const char c : why) {
        const bool plain = c >= ' ' && c < '\x7f' && c != '"' && c != '\\';
        text.push_back(plain ? c : '\'');
    }
    return fmt::format("399 restante \"{}\"", text);
}

}  // namespace

ResponsePolicy::ResponsePolicy(std::vector<SipOutcome> rules) : rules_(std::move(rules))
{
    std::reverse(rules_.begin(), rules_.end());
    std::stable_sort(rules_.begin(), rules_.end(), [](const auto& a, const auto& b) {
        return a.last - a.first < b.last - b.first;
    });
}

ResponsePolicy ResponsePolicy::orElse(SipOutcome rule) const
{
    auto extended = *this;
    extended.rules_.push_back(rule);
    return extended;
}

Verdict ResponsePolicy::verdictOn(const DeviceAnswer& answer) const noexcept
{
    if (isSuccess(answer.status)) {
        return Verdict::Delivered;
    }
    for (const auto& rule : rules_) {
        if (answer.status >= rule.first && answer.status <= rule.last) {
            return rule.verdict;
        }
    }
    return defaultVerdict(answer);
}

Millis wantedPause(const DeviceAnswer& answer) noexcept
{
    return std::clamp(answer.retryAfter.value_or(Millis{0}), Millis{0}, kLongestPause);
}

std::string reasonPhrase(std::string_view written)
{
    auto length = std::min(written.size(), kLongestPhrase);
    while (length < written.size() && length > 0 && isContinuation(written[length])) {
        --length;
    }
    std::string phrase{written.substr(0, length)};
    std::ranges::replace_if(
        phrase, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
    return std::string{trimmed(phrase, " ")};
}

SipAnswer refusal(int status, std::string phrase, std::string_view why)
{
    return {status, std::move(phrase), {{"Warning", warning(why)}}};
}

SipAnswer tryLater(std::string_view why, int seconds)
{
    auto answer = refusal(503, "Service Unavailable", why);
    answer.headers.emplace_back("Retry-After", std::to_string(seconds));
    return answer;
}

SipAnswer relayedAnswer(const DeviceAnswer& answer)
{
    SipAnswer passed{answer.status, answer.phrase, {}};
    if (answer.retryAfter) {
        const auto wait = std::chrono::duration_cast<std::chrono::seconds>(*answer.retryAfter);
        passed.headers.emplace_back("Retry-After", std::to_string(wait.count()));
    }
    return passed;
}

SipAnswer answerTo(const Error& error)
{
    if (error.code == ErrorCode::MailboxFull) {
        return refusal(480, "Mailbox Full", "the recipient is offline and the mailbox is full");
    }
    if (error.code == ErrorCode::Invalid) {
        return refusal(400, "Bad Request", error.message);
    }
    // The message may name our sockets and hosts: it is not sent. Callers log what is not
    // temporary.
    if (isTemporary(error.code) || error.code == ErrorCode::Denied) {
        return tryLater("the store cannot take it now", kStoreRetrySeconds);
    }
    return refusal(500, "Server Internal Error", "the store refused; see our log");
}

}  // namespace restante::sip
