#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/queue/job_store.h"
#include "sipplugin/transport/late_answers.h"

#include <deque>
#include <unordered_map>

namespace restante::sip {

/// Messages that a device has taken although their attempt had been given up: they are finished
/// where they wait. One that is just being attempted again is decided by that attempt; should it
/// fail, the message is delivered all the same. A device's own copy (`sip.devices = "all"`) is
/// never finished here, only not offered to it again. Bounded in number and time. *One loop.*
class LateDeliveries {
public:
    struct Callbacks {
        /// The store has finished the message: what waits for the recipient may follow.
        std::function<void(const std::string& recipient)> reachable;
        /// Tells the sender, before it is finished; asked again after a temporary failure.
        std::function<void(const std::string& id, Done<void> done)> tellSender = {};
    };
    LateDeliveries(EventLoop& loop, JobStore& store, const Clock& clock, Callbacks callbacks)
        : loop_(loop),
          store_(store),
          clock_(clock),
          callbacks_(std::move(callbacks))
    {
    }

    /// As long as a success may come.
    static constexpr Millis kKeptFor = LateAnswers::kKeptFor;
    static constexpr std::size_t kMost = LateAnswers::kMost;

    /// This attempt at the message has failed as far as anybody knows.
    void failed(const std::string& id, const std::string& deviceUri, std::uint32_t attempt);
    /// A device has taken the message.
    struct Delivery {
        std::string id;
        std::string recipient;
        std::uint32_t attempt = 1;
        std::string note;  ///< for the history
        std::string deviceUri =
            {};  ///< Request-URI of this device, where messages go to every one; else empty
    };
    void taken(const Delivery& delivery);
    /// Whether a device is known to have taken the message, which the store may not know yet.
    bool isTaken(const std::string& id, const std::string& deviceUri) const;
    /// False while nothing at all is known: the usual case, for which isTaken() need not be asked.
    bool any() const noexcept { return !known_.empty(); }

private:
    struct Known {
        std::uint32_t attempt = 0;  ///< the last one that failed
        bool isTaken = false;
    };

    Known& remember(const std::string& key, std::uint32_t attempt);
    void tellThenFinish(const Delivery& delivery, Millis pause);
    void finish(const Delivery& delivery, Millis pause);
    void tryAgain(const Delivery& delivery, Millis pause);

    EventLoop& loop_;
    JobStore& store_;
    const Clock& clock_;
    Callbacks callbacks_;
    std::unordered_map<std::string, Known> known_;  ///< by id, or id and device
    std::deque<std::pair<TimePoint, std::string>> ends_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
