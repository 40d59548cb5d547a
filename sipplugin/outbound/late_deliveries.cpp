#include "sipplugin/outbound/late_deliveries.h"

#include "core/base/log.h"

#include <algorithm>
#include <utility>

namespace restante::sip {
namespace {
/// Between repetitions of a move that the store could not take.
constexpr Millis kFirstPause{100};
constexpr Millis kLongestPause{1'000};

/// Unambiguous, because an id has no space.
std::string keyOf(const std::string& id, const std::string& deviceUri)
{
    return deviceUri.empty() ? id : id + " " + deviceUri;
}

}  // namespace

LateDeliveries::AttemptState& LateDeliveries::remember(const std::string& key,
                                                       std::uint32_t attempt)
{
    const auto now = clock_.now();
    while (!expiries_.empty() && expiries_.front().first <= now) {
        forgetOldest();
    }
    const auto [found, isNew] = attempts_.try_emplace(key);
    if (isNew) {
        found->second.expiry = expiries_.emplace(expiries_.end(), now + kKeptFor, key);
        if (attempts_.size() > kMostEntries) {
            forgetOldest();
        }
    }
    found->second.attempt = std::max(found->second.attempt, attempt);
    return found->second;
}

void LateDeliveries::forget(const std::string& key)
{
    if (const auto found = attempts_.find(key); found != attempts_.end()) {
        expiries_.erase(found->second.expiry);
        attempts_.erase(found);
    }
}

void LateDeliveries::forgetMessage(const std::string& id)
{
    forget(id);
    const auto ofDevices = id + " ";  // as of keyOf()
    auto at = attempts_.lower_bound(ofDevices);
    while (at != attempts_.end() && at->first.starts_with(ofDevices)) {
        expiries_.erase(at->second.expiry);
        at = attempts_.erase(at);
    }
}

void LateDeliveries::forgetOldest()
{
    attempts_.erase(expiries_.front().second);
    expiries_.pop_front();
}

void LateDeliveries::recordFailure(const std::string& id,
                                   const std::string& deviceUri,
                                   std::uint32_t attempt)
{
    remember(keyOf(id, deviceUri), attempt);
}

/// False: it was remembered before.
bool LateDeliveries::rememberTaken(const Delivery& delivery)
{
    auto& state = remember(keyOf(delivery.id, delivery.deviceUri), delivery.attempt);
    if (std::exchange(state.isTaken, true)) {
        return false;
    }
    state.expiry->first = clock_.now() + kKeptFor;  // it is kept from now on
    expiries_.splice(expiries_.end(), expiries_, state.expiry);
    return true;
}

void LateDeliveries::handleTaken(const Delivery& delivery)
{
    if (!rememberTaken(delivery)) {
        return;
    }
    log::info("sip", "message {} was taken after its attempt had been given up", delivery.id);
    if (delivery.deviceUri.empty()) {
        return tellThenFinish(delivery, kFirstPause);
    }
    // Before they hear that the recipient can be reached.
    tellOthers(delivery);
    callbacks_.onReachable(delivery.recipient);
}

void LateDeliveries::handleTakenElsewhere(const Delivery& delivery)
{
    const auto found = attempts_.find(keyOf(delivery.id, delivery.deviceUri));
    const bool hasFailedHereSince =
        found != attempts_.end() && found->second.attempt > delivery.attempt;
    if (rememberTaken(delivery) && hasFailedHereSince && delivery.deviceUri.empty()) {
        tellThenFinish(delivery, kFirstPause);
    }
}

void LateDeliveries::tellOthers(const Delivery& delivery) const
{
    if (callbacks_.tellOthers) {
        callbacks_.tellOthers(delivery);
    }
}

bool LateDeliveries::isTaken(const std::string& id, const std::string& deviceUri) const
{
    const auto found = attempts_.find(keyOf(id, deviceUri));
    return found != attempts_.end() && found->second.isTaken;
}

/// The report to the sender comes first: after a crash in between both are repeated.
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

/// Safe to repeat, because the attempt number fences it.
void LateDeliveries::finish(const Delivery& delivery, Millis pause)
{
    const auto found = attempts_.find(delivery.id);
    if (found == attempts_.end()) {
        return;  // forgotten meanwhile: it is delivered again, with the same Call-ID
    }
    store_.finishLate({delivery.id, found->second.attempt, {}, delivery.note},
                      callbackGuard_.guard([this, delivery, pause](const auto& finished) {
                          if (finished) {
                              forget(delivery.id);
                              callbacks_.onReachable(delivery.recipient);
                          } else if (isTemporary(finished.error().code)) {
                              tryAgain(delivery, pause);
                          } else {
                              log::debug("sip", "message {}: {}", delivery.id,
                                         finished.error().message);
                              if (finished.error().code == ErrorCode::Stale) {
                                  // Another attempt has begun, here or elsewhere; whoever makes it
                                  // asks isTaken().
                                  tellOthers(delivery);
                              }
                          }
                      }));
}

void LateDeliveries::tryAgain(const Delivery& delivery, Millis pause)
{
    if (!attempts_.contains(delivery.id)) {
        return;
    }
    loop_.armTimer(pause, callbackGuard_.guard([this, delivery, pause] {
        tellThenFinish(delivery, std::min(2 * pause, kLongestPause));
    }));
}

}  // namespace restante::sip
