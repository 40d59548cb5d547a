#pragma once

#include "core/base/event_loop.h"
#include "core/queue/delay_queue.h"
#include "sipplugin/binding_store.h"
#include "sipplugin/receipts/sender_reports.h"
#include "sipplugin/sip_courier.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace restante::sip {

/// One pass over one mailbox: claims it batch by batch and offers each message to the recipient's
/// devices, in order and one at a time, until it is empty or the recipient cannot be reached.
///
/// A message is finished when a device has taken it and buried when one refuses it for good. When
/// no device can be reached, it is held until its next attempt, and what was claimed behind it goes
/// back untried and uncounted. Leases are extended while a pass lasts; a message whose lease has
/// been lost all the same is not sent. *One loop.*
class MailboxFlush : public std::enable_shared_from_this<MailboxFlush> {
public:
    struct Parts {
        EventLoop& loop;
        DelayQueue& queue;
        BindingStore& bindings;
        SipCourier& courier;
        SenderReports* reports = nullptr;  ///< told before a message is finished; null = nobody is
    };
    struct Settings {
        std::string proxy;  ///< `sip.proxy`; empty = to the devices directly
        std::string ownAddress = "sip:restante@localhost";  ///< From of a job that has no sender
        std::uint32_t batch = 100;                          ///< messages claimed at once
        /// Messages that are delivered but not yet known to be finished: what a crash may deliver
        /// twice. The next message waits beyond it. With 8, a Redis that syncs each write takes a
        /// second for 1,000 messages; with 32, a quarter of that.
        std::size_t unconfirmed = 32;
        /// The mailbox of a recipient without any device is looked at again after this; their
        /// REGISTER is what normally opens it.
        Millis absence{900'000};
    };
    /// What becomes of the mailbox of a recipient without any device.
    enum class Absence {
        PutsOff,      ///< its next attempt moves on
        LeavesAlone,  ///< it has a next attempt already
    };
    /// How a pass ended. *Value.*
    struct Outcome {
        std::optional<TimePoint> putOffUntil;  ///< the recipient cannot be reached until then
    };

    /// Shared with the answers of the store, which may come after the plugin has gone.
    MailboxFlush(Parts parts, const Settings& settings, std::string recipient);
    MailboxFlush(const MailboxFlush&) = delete;
    MailboxFlush& operator=(const MailboxFlush&) = delete;

    /// `claimed` is called once the mailbox has been asked for the first time, `ended` when the
    /// pass is over, each once. Settings must outlive the pass.
    void start(Absence absence, std::function<void()> claimed, std::function<void(Outcome)> ended);
    /// Sends nothing more; ends when what is under way is answered and the rest given back.
    void stop();

    const std::string& recipient() const noexcept { return recipient_; }

private:
    using Move = std::function<void(Done<void>)>;

    void findDevices();
    void takeDevices(const std::vector<Binding>& bindings);
    void claim();
    void takeBatch(std::vector<ClaimedJob> batch);
    void advance();
    bool mayBeSent(const ClaimedJob& job);
    void send();
    void takeAnswer(const DeviceAnswer& answer);
    void finish(const Job& job, const Lease& lease);
    void putOff(const DeviceAnswer& answer);
    void putOffAbsent();
    void lookAgain();
    void giveBack(TimePoint next);
    void settle(Move move, Millis pause = Millis{100});
    void keepLeases();
    void touch(const ClaimedJob& job);
    void endIfOver();
    void reportClaimed();

    TimePoint now() const { return parts_.queue.clock().now(); }
    Lease leaseOf(const ClaimedJob& job) const;

    /// `handler`, unless this has gone.
    template <class... Args, class Handler>
    std::function<void(Args...)> guarded(Handler handler)
    {
        return [self = weak_from_this(), handler = std::move(handler)](Args... args) {
            if (auto alive = self.lock()) {
                handler(std::move(args)...);
            }
        };
    }

    Parts parts_;
    const Settings& settings_;
    std::string recipient_;
    Absence absence_ = Absence::PutsOff;
    std::function<void()> claimed_;
    std::function<void(Outcome)> ended_;
    Timer leaseTimer_;

    std::vector<DeliveryRoute> routes_;
    std::size_t device_ = 0;          ///< of routes_: the first that has not failed in this pass
    std::deque<ClaimedJob> waiting_;  ///< claimed, in order; the front may be under way
    std::size_t unsettled_ = 0;       ///< moves that the store has not answered yet
    bool sending_ = false;
    bool stopped_ = false;
    bool over_ = false;  ///< nothing more is claimed or sent in this pass
    Outcome outcome_;
};

}  // namespace restante::sip
