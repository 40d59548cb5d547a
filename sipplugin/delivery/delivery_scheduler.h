#pragma once

#include "core/base/callback_guard.h"
#include "sipplugin/delivery/delivery_run.h"

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace restante::sip {

/// Empties the mailboxes of recipients who can be reached: many at a time, each by one run at a
/// time. Messages that come during a run lead to another. *One loop.*
class DeliveryScheduler {
public:
    struct Settings {
        DeliveryRun::Settings run;
        std::size_t maxConcurrent = 1'000;  ///< recipients at a time; the others wait their turn
        std::size_t memory = 64UL << 20U;   ///< bytes, for the messages of all runs
        Millis pace{0};                     ///< between two messages to one recipient
        std::uint32_t perSecond = 0;        ///< messages to all, 0 = no limit
        bool everyDevice = false;           ///< each message goes to every device
        Millis keep{std::chrono::hours{
            24 * 7}};  ///< lifetime of a message without expiry, once a device has it
        /// How much of `memory` and `perSecond` is used, by all threads of this process together.
        std::shared_ptr<SharedLimitUsage> sharedUsage = std::make_shared<SharedLimitUsage>();
        /// Called after each run with its recipient.
        std::function<void(const std::string&, const MailboxRun::RunResult&)> onEnded;
    };
    enum class Cause {
        Stored,      ///< a message has come; ignored while the recipient is known as unreachable
        Registered,  ///< the recipient can be reached now
        Due,         ///< the mailbox's next attempt is due
        /// As Stored, from a daemon that cannot reach them. With everyDevice a run that this begins
        /// hands nothing on: that daemon has told the owner of each device. Otherwise it does if
        /// all their flows are other daemons' by now.
        HandedOver,
    };

    DeliveryScheduler(DeliveryRun::Parts parts, Settings settings);
    /// Ends all runs at once; messages that they have claimed stay leased.
    ~DeliveryScheduler();

    /// Begins the runs. What is scheduled before waits for it.
    void open();

    /// `onClaimed`, if any, is called after the first claim: the mailbox is then no longer due; at
    /// once when this leads to no run (draining, postponed, or queued already and not Due), and a
    /// second later when a run has claimed before.
    /// `bindings`, if any, are the current ones: a run that begins at once need not look them up.
    void schedule(const std::string& recipient,
                  Cause cause,
                  std::function<void()> onClaimed = {},
                  const std::vector<Binding>& bindings = {});

    /// Called when somebody registers. Returns how much of their mailbox to claim in the same step,
    /// for a run to begin with; nothing with everyDevice, when no run can begin now, or for the
    /// second of two who wait. handleArrival() must follow; what is scheduled for them meanwhile
    /// waits for it.
    BindingUpdate::ClaimLimits prepareArrival(const std::string& recipient);
    /// They have registered, or that failed. Delivers the messages leased for them, or gives them
    /// back. `prepared`: what prepareArrival() has returned for this REGISTER.
    void handleArrival(const std::string& recipient,
                       const BindingUpdate::ClaimLimits& prepared,
                       Result<Arrival> arrival);

    /// Whether a message that is stored for them now will be tried soon.
    bool willTrySoon(const std::string& recipient) const;

    /// The recipient can be reached again: new messages are tried at once.
    void forgetUnreachable(const std::string& recipient) { postponed_.erase(recipient); }
    /// The same, as another thread of this process has found out. What was left alone here
    /// meanwhile, or is under way to where they were before, is tried again.
    void handleReachableElsewhere(const std::string& recipient);
    /// Another thread of this process has delivered to them. What was left alone here meanwhile is
    /// tried again.
    void handleDeliveredElsewhere(const std::string& recipient);

    /// Begins nothing more; `drained` is called once when no run is left.
    void drain(std::function<void()> drained);

private:
    struct Postponement {
        TimePoint until{};
        bool messageSkipped = false;  ///< a message has come meanwhile
    };
    struct ActiveRun {
        std::shared_ptr<MailboxRun> run;
        std::vector<std::function<void()>> claimWaiters;
        bool claimed = false;
        bool tellsNoOwners = false;  ///< it was begun by HandedOver, with everyDevice
        /// Somebody has registered, or the mailbox is due, in a way that `run` did not take up.
        bool mustRunAgain = false;
        bool mustRunAgainUnlessPostponed = false;  ///< a message has come, in the same way
    };
    /// Work for a recipient whose REGISTER, for which messages are claimed, the store has not
    /// answered yet. Ended by the answer to that one, whichever REGISTER is answered first.
    struct AwaitedArrival {
        struct ScheduledRun {
            Cause cause;
            std::function<void()> onClaimed;
        };
        std::size_t reserved = 0;  ///< bytes of memory for the messages that may come
        std::vector<ScheduledRun> scheduled = {};
    };
    struct QueuedRun {
        std::string recipient;
        Cause cause;
        std::function<void()> onClaimed;
    };

    bool mayBegin() const;
    std::shared_ptr<MailboxRun>
    newRun(const std::string& recipient, Cause cause, const std::vector<Binding>& bindings);
    /// Whether no run is to begin, because a message has come for a recipient who is known as
    /// unreachable; notes that it has come. Any other cause, or the end of that time, makes the
    /// recipient no longer known as unreachable.
    bool skipIfPostponed(const std::string& recipient, Cause cause);
    /// Whether a message was left alone because of it.
    bool forgetPostponement(const std::string& recipient);
    void handleAbsenceEnd(const std::string& recipient, TimePoint until);
    void begin(const std::string& recipient,
               Cause cause,
               std::function<void()> onClaimed,
               const std::vector<Binding>& bindings);
    void begin(const std::string& recipient,
               Cause cause,
               std::function<void()> onClaimed,
               std::shared_ptr<MailboxRun> run);
    void deliver(const std::string& recipient, Arrival arrival);
    void giveBack(const std::string& recipient, std::vector<ClaimedJob> messages);
    void tickLeases();
    void handleClaimed(const std::string& recipient);
    void finish(const std::string& recipient, const MailboxRun::RunResult& result);
    void join(ActiveRun& entry, Cause cause, std::function<void()> onClaimed);
    void beginQueued();
    void reportIfDrained();

    DeliveryRun::Parts parts_;
    Settings settings_;
    DeliveryRun::Settings handedOverSettings_ =
        settings_.run;  ///< with everyDevice, for Cause::HandedOver
    DeliveryRateLimiter rateLimiter_;
    MemoryBudget memory_;
    LogRateLimiter logLimiter_;
    std::unordered_map<std::string, ActiveRun> active_;
    std::unordered_map<std::string, AwaitedArrival> arriving_;
    std::size_t pendingGiveBacks_ = 0;  ///< messages whose hold() the store has not answered
    Timer leaseTimer_;                  ///< ticks while there are runs
    std::deque<QueuedRun> queue_;
    /// The recipients in queue_, with the first cause that was not HandedOver, if any.
    std::unordered_map<std::string, Cause> queued_;
    /// Unreachable recipients, until they register or their mailbox is due.
    std::unordered_map<std::string, Postponement> postponed_;
    std::function<void()> onDrained_;
    bool open_ = false;
    bool draining_ = false;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
