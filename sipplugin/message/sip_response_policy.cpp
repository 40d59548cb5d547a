#include "sipplugin/message/sip_response_policy.h"

#include <algorithm>
#include <chrono>

namespace restante::sip {

namespace {

/// The recipient, not the message, is the trouble: another time or another device may do. 401, 407
/// and 494 blame our configuration, which an operator repairs. 404, 480 and 408 wait for the
/// schedule, because the news of a registration may be lost, and a proxy just started knows nobody.
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
    485,  // nor can this one
    486,  // busy
    487,  // cancelled by a proxy on the way
    491,  // another request is pending
    494,  // the peer wants a security agreement (RFC 3329)
};

/// Only a new registration undoes these.
constexpr int kClientHold[] = {
    410,  // gone from this address, and nobody knows where to
    430,  // the flow to the device has failed: it makes another when it registers (RFC 5626)
};

/// Of the server failures these blame the message; every other one blames the server.
constexpr int kServerDead[] = {
    501,  // MESSAGE is not implemented
    505,  // SIP/2.0 is not spoken
    513,  // too large
    580,  // a precondition cannot be met
};

/// Refusals that RFC 3261 (20.33) lets a Retry-After soften to "not now".
constexpr int kTemporaryWithRetryAfter[] = {413, 600, 603};

constexpr Millis kLongestPause = std::chrono::hours{24};

template <std::size_t N>
bool isAmong(const int (&statuses)[N], int status) noexcept
{
    return std::find(std::begin(statuses), std::end(statuses), status) != std::end(statuses);
}

Verdict usually(const DeviceAnswer& answer) noexcept
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

}  // namespace

std::string DeviceAnswer::print() const
{
    return std::to_string(status) + (phrase.empty() ? "" : " " + phrase);
}

ResponsePolicy::ResponsePolicy(std::vector<SipOutcome> rules) : rules_(std::move(rules))
{
    std::reverse(rules_.begin(), rules_.end());
    std::stable_sort(rules_.begin(), rules_.end(), [](const auto& a, const auto& b) {
        return a.last - a.first < b.last - b.first;
    });
}

ResponsePolicy ResponsePolicy::orElse(SipOutcome rule) const
{
    auto more = *this;
    more.rules_.push_back(rule);
    return more;
}

Verdict ResponsePolicy::judge(const DeviceAnswer& answer) const noexcept
{
    if (answer.status >= 200 && answer.status < 300) {
        return Verdict::Delivered;
    }
    for (const auto& rule : rules_) {
        if (answer.status >= rule.first && answer.status <= rule.last) {
            return rule.verdict;
        }
    }
    return usually(answer);
}

Millis wantedPause(const DeviceAnswer& answer) noexcept
{
    return std::clamp(answer.retryAfter.value_or(Millis{0}), Millis{0}, kLongestPause);
}

}  // namespace restante::sip
