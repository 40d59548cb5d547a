#include "sipplugin/registration/regevent/subscription_policy.h"

#include "core/base/text.h"
#include "sipplugin/message/request_text.h"
#include "sipplugin/message/sip_date.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace restante::sip {

namespace {

constexpr Millis kFirstPause{5'000};
constexpr Millis kLongestPause{600'000};
/// The server does not do it, or not for us: somebody has to change its configuration.
constexpr Millis kHopelessPause{3'600'000};
constexpr Millis kMostRetryAfter{std::chrono::hours{24}};
constexpr Millis kAtOnce{1'000};

constexpr auto kHopeless = std::to_array<int>({403, 404, 405, 489, 501});
/// RFC 6665 section 4.1.3: no use in subscribing again.
constexpr auto kFinalReasons = std::to_array<std::string_view>({"rejected", "noresource"});

/// What refreshing early costs is nothing; what it saves is a time without a subscription.
constexpr std::chrono::seconds kMargin{64};  // two transactions that time out
/// However short the server makes it: more often would be a flood.
constexpr std::chrono::seconds kSoonestRefresh{10};

Millis backOff(std::size_t failures)
{
    Millis pause = kFirstPause;
    for (std::size_t i = 1; i < failures && pause < kLongestPause; ++i) {
        pause *= 2;
    }
    return std::min(pause, kLongestPause);
}

}  // namespace

Result<std::string> printSubscribe(const SubscribeRequest& request)
{
    RequestWriter writer("SUBSCRIBE", request.target.empty() ? request.aor : request.target);
    for (const auto& hop : request.routes) {
        writer.line("Route", hop);
    }
    writer.line("Max-Forwards", "70");
    writer.line("From", fmt::format("<{}>;tag={}", request.watcher, request.localTag));
    writer.line("To", fmt::format("<{}>{}{}", request.aor,
                                  request.remoteTag.empty() ? "" : ";tag=", request.remoteTag));
    writer.line("Call-ID", request.callId);
    writer.line("CSeq", fmt::format("{} SUBSCRIBE", request.cseq));
    writer.line("Contact", fmt::format("<{}>", request.contact));
    writer.line("Event", "reg");
    writer.line("Accept", "application/reginfo+xml");
    writer.line("Expires", std::to_string(request.expires.count()));
    return std::move(writer).finish();
}

SubscriptionState parseSubscriptionState(std::string_view text)
{
    SubscriptionState state;
    bool first = true;
    for (const auto one : split(text, ';')) {
        const auto part = trimmed(one);
        const auto equals = std::min(part.find('='), part.size());
        const auto name = trimmed(part.substr(0, equals));
        const auto value = trimmed(part.substr(std::min(equals + 1, part.size())));
        if (std::exchange(first, false)) {
            state.ended = equalIgnoringCase(part, "terminated");
        } else if (equalIgnoringCase(name, "reason")) {
            state.reason = lowered(value);
        } else if (equalIgnoringCase(name, "expires")) {
            state.expires = wholeSeconds(value);
        } else if (equalIgnoringCase(name, "retry-after")) {
            state.retryAfter = wholeSeconds(value);
        }
    }
    return state;
}

Millis refreshAfter(std::chrono::seconds expires)
{
    const auto early = std::max(expires / 10, kMargin);
    return expires > 2 * early ? Millis{expires - early}
                               : Millis{std::max(expires / 2, kSoonestRefresh)};
}

Millis pauseAfter(int status, std::size_t failures, std::optional<Millis> retryAfter)
{
    const bool hopeless = std::ranges::find(kHopeless, status) != kHopeless.end();
    const auto wanted = std::min(retryAfter.value_or(Millis{0}), kMostRetryAfter);
    return std::max(hopeless ? kHopelessPause : backOff(failures), wanted);
}

Millis pauseAfter(const SubscriptionState& state, std::size_t failures)
{
    const std::optional<Millis> wanted = state.retryAfter;
    if (std::ranges::find(kFinalReasons, state.reason) != kFinalReasons.end()) {
        return std::max(kHopelessPause, std::min(wanted.value_or(Millis{0}), kMostRetryAfter));
    }
    const bool anew = state.reason == "deactivated" || state.reason == "timeout";
    return anew && !wanted && failures <= 1 ? kAtOnce : pauseAfter(0, failures, wanted);
}

}  // namespace restante::sip
