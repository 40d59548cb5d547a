#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/queue/job_store.h"
#include "sipplugin/transport/late_answers.h"

#include <list>
#include <map>
#include <string>
#include <utility>

namespace restante::sip {

/// Finishes messages that a device has taken although their attempt had been given up. A message
/// that is just being attempted again is left to that attempt; should it fail, the message counts
/// as delivered all the same, whichever thread makes it: the others are told. Another daemon does
/// not know, and offers it again under the same Call-ID. A device's own copy
/// (`sip.devices = "all"`) is never finished here, only not offered to it again. Bounded in number
/// and time. *One loop.*
class LateDeliveries {
public:
    struct Delivery;
    struct Callbacks {
        /// The recipient has taken a message: the others may follow.
        std::function<void(const std::string& recipient)> onReachable;
        /// Tells the sender before the message is finished; repeated after a temporary failure.
        std::function<void(const std::string& id, Done<void> done)> tellSender = {};
        /// Another thread may be attempting it, or have done so last: handleTakenElsewhere() there.
        std::function<void(const Delivery& delivery)> tellOthers = {};
    };
    LateDeliveries(EventLoop& loop, JobStore& store, const Clock& clock, Callbacks callbacks)
        : loop_(loop),
          store_(store),
          clock_(clock),
          callbacks_(std::move(callbacks))
    {
    }

    /// How long a late success is recognised.
    static constexpr Millis kKeptFor = LateAnswers::kKeptFor;
    static constexpr std::size_t kMostEntries = LateAnswers::kMostEntries;

    /// Remembers that this attempt has failed so far.
    void recordFailure(const std::string& id, const std::string& deviceUri, std::uint32_t attempt);
    /// A message that a device has taken.
    struct Delivery {
        std::string id;
        std::string recipient;
        std::uint32_t attempt = 1;
        std::string note;  ///< for the history
        /// With `sip.devices = "all"` the Request-URI of this device; else empty.
        std::string deviceUri = {};
    };
    /// Finishes the message as the class says; repeated calls for it do nothing.
    void handleTaken(const Delivery& delivery);
    /// The same, as another thread has heard: what is attempted here counts by it, and what was
    /// attempted here last is finished.
    void handleTakenElsewhere(const Delivery& delivery);
    /// Whether a device is known to have taken the message; the store may not know it yet.
    bool isTaken(const std::string& id, const std::string& deviceUri) const;
    /// Forgets it, of all devices: the message is to be delivered anew, as one that somebody has
    /// restored after it had been finished.
    void forgetMessage(const std::string& id);
    /// False in the usual case, when no attempt is remembered and isTaken() need not be asked.
    bool hasEntries() const noexcept { return !attempts_.empty(); }

private:
    using Expiries = std::list<std::pair<TimePoint, std::string>>;
    struct AttemptState {
        std::uint32_t attempt = 0;  ///< the last one that failed
        bool isTaken = false;
        Expiries::iterator expiry = {};
    };

    AttemptState& remember(const std::string& key, std::uint32_t attempt);
    bool rememberTaken(const Delivery& delivery);
    void tellOthers(const Delivery& delivery) const;
    void forget(const std::string& key);
    void forgetOldest();
    void tellThenFinish(const Delivery& delivery, Millis pause);
    void finish(const Delivery& delivery, Millis pause);
    void tryAgain(const Delivery& delivery, Millis pause);

    EventLoop& loop_;
    JobStore& store_;
    const Clock& clock_;
    Callbacks callbacks_;
    std::map<std::string, AttemptState> attempts_;  ///< by id, or id and device
    Expiries expiries_;                             ///< of the keys of attempts_, the oldest first
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
