#include "sipplugin/trace/trace_follower.h"

#include "core/base/log.h"
#include "core/redis/client/connection_settings.h"
#include "sipplugin/message/aor.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace restante::sip {
namespace {

constexpr Millis kRetry{1'000};

/// Addresses that are none are left out: whoever wrote them was told when they did.
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
                             Changed changed)
    : parts_(parts),
      requests_(parts.commands, prefix),
      changed_(std::move(changed)),
      nextEnd_(parts.loop),
      retry_(parts.loop),
      news_(parts.loop, {.url = url, .name = "restanted-trace"})
{
    // What was said meanwhile was not heard; both connections are needed to ask.
    const auto ready = callbackGuard_.guard([this](bool isReady) {
        if (isReady) {
            read();
        }
    });
    parts_.commands.onReady(ready);
    news_.onReady(ready);
    news_.subscribe({requests_.channel()}, [this](auto, auto) { read(); });
}

void TraceFollower::read()
{
    if (!parts_.commands.ready()) {
        return;
    }
    requests_.active(
        parts_.clock.now(),
        callbackGuard_.guard([this](const Result<std::vector<redis::TraceRequest>>& active) {
            if (!active) {
                log::warning("trace", "who is to be traced is not known: {}",
                             active.error().message);
                return retry_.arm(kRetry, [this] { read(); });
            }
            retry_.cancel();
            known_ = *active;
            apply();
        }));
}

void TraceFollower::apply()
{
    const auto now = parts_.clock.now();
    std::erase_if(known_, [now](const auto& request) { return request.until <= now; });
    nextEnd_.cancel();
    if (!known_.empty()) {
        const auto first = std::ranges::min_element(known_, {}, &redis::TraceRequest::until);
        nextEnd_.arm(first->until - now, [this] {
            apply();
            read();
        });
    }
    auto addresses = addressesOf(known_);
    if (addresses == traced_) {
        return;
    }
    traced_ = std::move(addresses);
    log::info("trace", "traced because restantectl asked for it: {}",
              traced_.empty() ? "nobody" : fmt::format("{}", fmt::join(traced_, ", ")));
    changed_(traced_);
}

}  // namespace restante::sip
