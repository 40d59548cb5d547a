#pragma once

#include "core/base/callback_guard.h"
#include "sipplugin/delivery/delivery_run.h"

#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace restante::sip {

/// Empties the mailboxes of recipients who can be reached: many at a time, each by one run at a
/// time. What comes during a run leads to another. *One loop.*
class DeliveryScheduler {
public:
    struct Settings {
        DeliveryRun::Settings run;
        std::size_t maxConcurrent = 1'000;  ///< recipients at a time; the others wait their turn
        std::size_t memory = 64UL << 20U;   ///< bytes, for the messages of all runs
        Millis pace{0};                     ///< between two messages to one recipient
        std::uint32_t perSecond = 0;        ///< messages to all, 0 = no limit
        bool everyDevice = false;           ///< each message goes to every device
        Millis keep{std::chrono::hours{24 * 7}};  ///< then: of a message without an expiry
        /// With the schedulers of other threads of this process, of `memory` and `perSecond`.
        std::shared_ptr<TakenLimits> taken = std::make_shared<TakenLimits>();
        /// Told of each run that has ended: whose, and whether they could not be reached.
        std::function<void(const std::string&, bool)> onEnded;
    };
    enum class Cause {
        Stored,      ///< a message has come; not while the recipient is known to be unreachable
        Registered,  ///< the recipient can be reached now
        Due,         ///< the mailbox's next attempt is due
        HandedOver,  ///< as Stored, by a daemon that cannot reach them; it is told nothing back
    };

    DeliveryScheduler(DeliveryRun::Parts parts, Settings settings);
    /// Runs end where they stand; what they had claimed stays leased.
    ~DeliveryScheduler();

    /// Until then runs are remembered, not begun.
    void open();

    /// `onClaimed`, if any, is called once the mailbox has been asked, so that it is due no longer.
    /// `bindings`, if any, are those of this moment: a run that begins at once need not look them
    /// up.
    void schedule(const std::string& recipient,
                  Cause cause,
                  std::function<void()> onClaimed = {},
                  const std::vector<Binding>& bindings = {});

    /// Somebody registers: how much of their mailbox is to be claimed in the same step, so that a
    /// run begins with that; nothing when none can begin at once. arrived() follows, and what is
    /// scheduled for them meanwhile waits for it.
    BindingUpdate::Take expect(const std::string& recipient);
    /// They have registered, or could not; what is leased for them is delivered, or given back.
    void arrived(const std::string& recipient, Result<Arrival> arrival);

    /// Whether a message that is stored for them now is tried soon.
    bool tries(const std::string& recipient) const;

    /// Messages that come from now on are tried at once: the recipient can be reached again.
    void forgetUnreachable(const std::string& recipient) { postponed_.erase(recipient); }
    /// The same, as another thread of this process has found out. What was left alone here
    /// meanwhile, or is under way to where they were before, is tried again.
    void reachableElsewhere(const std::string& recipient);

    /// Begins nothing more; `drained` is called once when no run is left.
    void drain(std::function<void()> drained);

    std::size_t active() const noexcept { return active_.size(); }

private:
    struct Postponed {
        TimePoint until{};
        bool leftAlone = false;  ///< a message has come meanwhile
    };
    struct ActiveRun {
        std::shared_ptr<MailboxRun> run;
        std::vector<std::function<void()>> awaitClaim;
        bool claimed = false;
        bool deviceCame = false;
        bool messageCame = false;
    };
    /// What is scheduled while the store registers somebody.
    struct AwaitedArrival {
        struct Scheduled {
            Cause cause;
            std::function<void()> onClaimed;
        };
        std::size_t reserved = 0;  ///< of the memory, for what may come
        std::vector<Scheduled> meanwhile = {};
    };
    struct QueuedRun {
        std::string recipient;
        Cause cause;
        std::function<void()> onClaimed;
    };

    bool mayBegin() const;
    std::shared_ptr<MailboxRun>
    newRun(const std::string& recipient, Cause cause, const std::vector<Binding>& bindings);
    bool isPostponed(const std::string& recipient, Cause cause);
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
    void beginNext();
    void reportDrained();

    DeliveryRun::Parts parts_;
    Settings settings_;
    /// To the contacts of every device.
    DeliveryRun::Settings toContacts_ = settings_.run;
    DeliveryRun::Settings handedOverContacts_ = settings_.run;  ///< Cause::HandedOver
    DeliveryRateLimiter pace_;
    MemoryBudget memory_;
    std::unordered_map<std::string, ActiveRun> active_;
    std::unordered_map<std::string, AwaitedArrival> arriving_;
    std::size_t givingBack_ = 0;  ///< messages of which the store has not said so yet
    Timer leaseTimer_;            ///< ticks while there are runs
    std::deque<QueuedRun> queue_;
    std::unordered_set<std::string> queued_;  ///< the recipients in queue_
    /// Found unreachable, until they register or their mailbox is due.
    std::unordered_map<std::string, Postponed> postponed_;
    std::function<void()> drained_;
    bool open_ = false;
    bool draining_ = false;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
