#include "sipplugin/outbound/late_deliveries.h"

#include "core/base/log.h"

#include <algorithm>
#include <utility>

namespace restante::sip {
namespace {
/// Between repetitions of a move that the store could not take.
constexpr Millis kFirstPause{100};
constexpr Millis kLongestPause{1'000};

}  // namespace

LateDeliveries::AttemptState& LateDeliveries::remember(const Message& message,
                                                       std::uint32_t attempt)
{
    const auto now = clock_.now();
    while (!expiries_.empty() && expiries_.front().first <= now) {
        forgetOldest();
    }
    const auto [found, isNew] = attempts_.try_emplace(message);
    if (isNew) {
        found->second.expiry = expiries_.emplace(expiries_.end(), now + kKeptFor, message);
        if (attempts_.size() > kMostEntries) {
            forgetOldest();
        }
    }
    found->second.attempt = std::max(found->second.attempt, attempt);
    return found->second;
}

void LateDeliveries::forget(const Message& message)
{
    if (const auto found = attempts_.find(message); found != attempts_.end()) {
        expiries_.erase(found->second.expiry);
        attempts_.erase(found);
    }
}

void LateDeliveries::forgetMessage(const std::string& id)
{
    auto at = attempts_.lower_bound({id, TimePoint::min()});
    while (at != attempts_.end() && at->first.id == id) {
        expiries_.erase(at->second.expiry);
        at = attempts_.erase(at);
    }
}

void LateDeliveries::forgetOldest()
{
    attempts_.erase(expiries_.front().second);
    expiries_.pop_front();
}

void LateDeliveries::recordFailure(const Message& message, std::uint32_t attempt)
{
    remember(message, attempt);
}

/// False: it was remembered before.
bool LateDeliveries::rememberTaken(const Delivery& delivery)
{
    auto& state = remember(delivery.message, delivery.attempt);
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
    log::info("sip", "message {} was taken after its attempt had been given up",
              delivery.message.id);
    if (delivery.message.deviceUri.empty()) {
        return tellThenFinish(delivery, kFirstPause);
    }
    // Before they hear that the recipient can be reached.
    tellOthers(delivery);
    callbacks_.onReachable(delivery.recipient);
}

void LateDeliveries::handleTakenElsewhere(const Delivery& delivery)
{
    const auto found = attempts_.find(delivery.message);
    const bool hasFailedHereSince =
        found != attempts_.end() && found->second.attempt > delivery.attempt;
    if (rememberTaken(delivery) && hasFailedHereSince && delivery.message.deviceUri.empty()) {
        tellThenFinish(delivery, kFirstPause);
    }
}

void LateDeliveries::tellOthers(const Delivery& delivery) const
{
    if (callbacks_.tellOthers) {
        callbacks_.tellOthers(delivery);
    }
}

bool LateDeliveries::isTaken(const Message& message) const
{
    const auto found = attempts_.find(message);
    return found != attempts_.end() && found->second.isTaken;
}

/// The report to the sender comes first: after a crash in between both are repeated.
void LateDeliveries::tellThenFinish(const Delivery& delivery, Millis pause)
{
    if (!callbacks_.tellSender) {
        return finish(delivery, pause);
    }
    callbacks_.tellSender(delivery.message,
                          callbackGuard_.guard([this, delivery, pause](const Result<void>& told) {
                              told ? finish(delivery, pause) : tryAgain(delivery, pause);
                          }));
}

/// Safe to repeat, because the attempt number fences it.
void LateDeliveries::finish(const Delivery& delivery, Millis pause)
{
    const auto found = attempts_.find(delivery.message);
    if (found == attempts_.end()) {
        return;  // forgotten meanwhile: it is delivered again, with the same Call-ID
    }
    store_.finishLate({.id = delivery.message.id,
                       .attempt = found->second.attempt,
                       .note = delivery.note,
                       .created = delivery.message.created},
                      callbackGuard_.guard([this, delivery, pause](const auto& finished) {
                          if (finished) {
                              forget(delivery.message);
                              callbacks_.onReachable(delivery.recipient);
                          } else if (isTemporary(finished.error().code)) {
                              tryAgain(delivery, pause);
                          } else {
                              log::debug("sip", "message {}: {}", delivery.message.id,
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
    if (!attempts_.contains(delivery.message)) {
        return;
    }
    loop_.armTimer(pause, callbackGuard_.guard([this, delivery, pause] {
        tellThenFinish(delivery, std::min(2 * pause, kLongestPause));
    }));
}

}  // namespace restante::sip
