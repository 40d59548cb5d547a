#include "sipplugin/sip_response_policy.h"

#include <algorithm>
#include <chrono>

namespace restante::sip {

namespace {

/// These say that the recipient, not the message, is the trouble: another time or another device
/// may do. 401, 407 and 494 blame our configuration, which an operator repairs; nothing that waits
/// should die of it.
constexpr int kClientUnreachable[] = {
    401,  // the peer wants credentials
    404,  // not registered there, or the device has dropped this contact
    407,  // the proxy wants credentials
    408,  // nobody answered us, or the proxy
    410,  // gone from this address
    430,  // the flow to the device has failed (RFC 5626)
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

/// Of the server failures these blame the message; every other one blames the server.
constexpr int kServerRefused[] = {
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

}  // namespace

std::string DeviceAnswer::print() const
{
    return std::to_string(status) + (phrase.empty() ? "" : " " + phrase);
}

Verdict judge(const DeviceAnswer& answer) noexcept
{
    const int status = answer.status;
    if (status >= 200 && status < 300) {
        return Verdict::Delivered;
    }
    if (answer.retryAfter && isAmong(kTemporaryWithRetryAfter, status)) {
        return Verdict::Unreachable;
    }
    switch (status / 100) {
    case 4: return isAmong(kClientUnreachable, status) ? Verdict::Unreachable : Verdict::Refused;
    case 5: return isAmong(kServerRefused, status) ? Verdict::Refused : Verdict::Unreachable;
    case 6: return Verdict::Refused;
    default: return Verdict::Unreachable;  // a redirection: the next REGISTER knows better
    }
}

Millis wantedPause(const DeviceAnswer& answer) noexcept
{
    return std::clamp(answer.retryAfter.value_or(Millis{0}), Millis{0}, kLongestPause);
}

}  // namespace restante::sip
