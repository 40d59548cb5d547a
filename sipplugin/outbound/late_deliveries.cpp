#include "sipplugin/outbound/late_deliveries.h"

#include "core/base/log.h"

#include <algorithm>
#include <utility>

namespace restante::sip {
namespace {
/// Between repetitions of a move that the store could not take.
constexpr Millis kFirstPause{100};
constexpr Millis kLongestPause{1'000};

/// An id has no space.
std::string keyOf(const std::string& id, const std::string& deviceUri)
{
    return deviceUri.empty() ? id : id + " " + deviceUri;
}

}  // namespace

LateDeliveries::Known& LateDeliveries::remember(const std::string& key, std::uint32_t attempt)
{
    const auto now = clock_.now();
    while (!ends_.empty() && (ends_.front().first <= now || ends_.size() >= kMost)) {
        known_.erase(ends_.front().second);
        ends_.pop_front();
    }
    const auto [found, isNew] = known_.try_emplace(key);
    if (isNew) {
        ends_.emplace_back(now + kKeptFor, key);
    }
    found->second.attempt = std::max(found->second.attempt, attempt);
    return found->second;
}

void LateDeliveries::failed(const std::string& id,
                            const std::string& deviceUri,
                            std::uint32_t attempt)
{
    remember(keyOf(id, deviceUri), attempt);
}

void LateDeliveries::taken(const Delivery& delivery)
{
    auto& known = remember(keyOf(delivery.id, delivery.deviceUri), delivery.attempt);
    if (std::exchange(known.isTaken, true)) {
        return;
    }
    log::info("sip", "message {} was taken after its attempt had been given up", delivery.id);
    delivery.deviceUri.empty() ? tellThenFinish(delivery, kFirstPause)
                               : callbacks_.reachable(delivery.recipient);
}

bool LateDeliveries::isTaken(const std::string& id, const std::string& deviceUri) const
{
    const auto found = known_.find(keyOf(id, deviceUri));
    return found != known_.end() && found->second.isTaken;
}

/// A sender who asked for it is told first: after a crash in between both are repeated.
void LateDeliveries::tellThenFinish(const Delivery& delivery, Millis pause)
{
    if (!callbacks_.tellSender) {
        return finish(delivery, pause);
    }
    callbacks_.tellSender(delivery.id,
                          callbackGuard_.guard([this, delivery, pause](const Result<void>& told) {
                              told ? finish(delivery, pause) : tryAgain(delivery, pause);
                          }));
}

/// Safe to repeat, because the attempt fences it.
void LateDeliveries::finish(const Delivery& delivery, Millis pause)
{
    const auto found = known_.find(delivery.id);
    if (found == known_.end()) {
        return;  // the store was away for too long: it is delivered again, with the same Call-ID
    }
    store_.finishLate({delivery.id, found->second.attempt, {}, delivery.note},
                      callbackGuard_.guard([this, delivery, pause](const auto& finished) {
                          if (finished) {
                              known_.erase(delivery.id);
                              callbacks_.reachable(delivery.recipient);
                          } else if (isTemporary(finished.error().code)) {
                              tryAgain(delivery, pause);
                          } else {
                              // Stale: whoever attempts it again asks isTaken().
                              log::debug("sip", "message {}: {}", delivery.id,
                                         finished.error().message);
                          }
                      }));
}

void LateDeliveries::tryAgain(const Delivery& delivery, Millis pause)
{
    if (!known_.contains(delivery.id)) {
        return;
    }
    loop_.armTimer(pause, callbackGuard_.guard([this, delivery, pause] {
        tellThenFinish(delivery, std::min(2 * pause, kLongestPause));
    }));
}

}  // namespace restante::sip
