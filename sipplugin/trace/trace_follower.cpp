#include "sipplugin/trace/trace_follower.h"

#include "core/base/log.h"
#include "core/redis/client/connection_settings.h"
#include "sipplugin/message/aor.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace restante::sip {
namespace {

constexpr Millis kRetryPause{1'000};

/// Leaves out malformed addresses, with a warning.
std::vector<std::string> addressesOf(const std::vector<redis::TraceRequest>& requests)
{
    std::vector<std::string> addresses;
    for (const auto& request : requests) {
        if (const auto aor = canonicalAor(request.address)) {
            addresses.push_back(*aor);
        } else {
            log::warning("trace", "not traced: {}", aor.error().message);
        }
    }
    std::sort(addresses.begin(), addresses.end());
    return addresses;
}

}  // namespace

TraceFollower::TraceFollower(Parts parts,
                             const redis::RedisUrl& url,
                             std::string_view prefix,
                             ChangeHandler onChange)
    : parts_(parts),
      requestStore_(parts.commands, prefix),
      onChange_(std::move(onChange)),
      expiryTimer_(parts.loop),
      retryTimer_(parts.loop),
      notifications_(parts.loop, {.url = url, .name = "restanted-trace"})
{
    // Notifications were missed while their connection was away, and nothing could be read without
    // the other one.
    const auto readWhenReady = callbackGuard_.guard([this](bool isReady) {
        if (isReady) {
            read();
        }
    });
    parts_.commands.onReady(readWhenReady);
    notifications_.onReady(readWhenReady);
    notifications_.subscribe({requestStore_.channel()}, [this](auto, auto) { read(); });
}

void TraceFollower::read()
{
    if (!parts_.commands.ready()) {
        return;
    }
    requestStore_.active(
        parts_.clock.now(),
        callbackGuard_.guard([this](const Result<std::vector<redis::TraceRequest>>& active) {
            if (!active) {
                log::warning("trace", "who is to be traced is not known: {}",
                             active.error().message);
                return retryTimer_.arm(kRetryPause, [this] { read(); });
            }
            retryTimer_.cancel();
            requests_ = *active;
            apply();
        }));
}

void TraceFollower::apply()
{
    const auto now = parts_.clock.now();
    std::erase_if(requests_, [now](const auto& request) { return request.until <= now; });
    expiryTimer_.cancel();
    if (!requests_.empty()) {
        const auto first = std::ranges::min_element(requests_, {}, &redis::TraceRequest::until);
        expiryTimer_.arm(first->until - now, [this] {
            apply();
            read();
        });
    }
    auto addresses = addressesOf(requests_);
    if (addresses == tracedAddresses_) {
        return;
    }
    tracedAddresses_ = std::move(addresses);
    log::info("trace", "traced because restantectl asked for it: {}",
              tracedAddresses_.empty() ? "nobody"
                                       : fmt::format("{}", fmt::join(tracedAddresses_, ", ")));
    onChange_(tracedAddresses_);
}

}  // namespace restante::sip
