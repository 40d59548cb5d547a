#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/queue/job_store.h"
#include "sipplugin/transport/late_answers.h"

#include <compare>
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
    /// A stored message, which an edit replaces by another one of its id.
    struct Message {
        std::string id;
        TimePoint created;
        /// With `sip.devices = "all"` the Request-URI of the device whose copy it is; else empty.
        std::string deviceUri = {};

        auto operator<=>(const Message&) const = default;
    };
    /// One that a device has taken.
    struct Delivery {
        Message message;
        std::string recipient;
        std::uint32_t attempt = 1;
        std::string note;  ///< for the history
    };
    struct Callbacks {
        /// The recipient has taken a message: the others may follow.
        std::function<void(const std::string& recipient)> onReachable;
        /// Tells the sender before the message is finished; repeated after a temporary failure.
        std::function<void(const Message& message, Done<void> done)> tellSender = {};
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
    void recordFailure(const Message& message, std::uint32_t attempt);
    /// Finishes the message as the class says; repeated calls for it do nothing.
    void handleTaken(const Delivery& delivery);
    /// The same, as another thread has heard: what is attempted here counts by it, and what was
    /// attempted here last is finished.
    void handleTakenElsewhere(const Delivery& delivery);
    /// Whether a device is known to have taken the message; the store may not know it yet.
    bool isTaken(const Message& message) const;
    /// Forgets it, of all devices: the message is to be delivered anew, as one that somebody has
    /// restored after it had been finished.
    void forgetMessage(const std::string& id);
    /// False in the usual case, when no attempt is remembered and isTaken() need not be asked.
    bool hasEntries() const noexcept { return !attempts_.empty(); }

private:
    using Expiries = std::list<std::pair<TimePoint, Message>>;
    struct AttemptState {
        std::uint32_t attempt = 0;  ///< the last one that failed
        bool isTaken = false;
        Expiries::iterator expiry = {};
    };

    AttemptState& remember(const Message& message, std::uint32_t attempt);
    bool rememberTaken(const Delivery& delivery);
    void tellOthers(const Delivery& delivery) const;
    void forget(const Message& message);
    void forgetOldest();
    void tellThenFinish(const Delivery& delivery, Millis pause);
    void finish(const Delivery& delivery, Millis pause);
    void tryAgain(const Delivery& delivery, Millis pause);

    EventLoop& loop_;
    JobStore& store_;
    const Clock& clock_;
    Callbacks callbacks_;
    std::map<Message, AttemptState> attempts_;
    Expiries expiries_;  ///< of the keys of attempts_, the oldest first
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
