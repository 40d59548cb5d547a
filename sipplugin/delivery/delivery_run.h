#pragma once

#include "core/base/callback_guard.h"
#include "core/queue/delay_queue.h"
#include "sipplugin/delivery/delivery_limits.h"
#include "sipplugin/delivery/flow_owners.h"
#include "sipplugin/delivery/message_source.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/message/log_rate_limiter.h"
#include "sipplugin/outbound/uac.h"
#include "sipplugin/receipts/deferred_responses.h"
#include "sipplugin/receipts/sender_reports.h"
#include "sipplugin/registration/binding_store.h"

#include <list>

namespace restante::sip {

/// How long a recipient without a device is remembered, whatever they were looked up for; short,
/// because the REGISTER may go to another daemon.
inline constexpr Millis kAbsenceCacheTime{5'000};

/// How often leases are checked: far shorter than the shortest of them, of 10 s (mailboxPush()).
inline constexpr Millis kLeaseTick{1'000};

/// Logs that the store has failed a run; by the limiter, because then it fails all.
void logUndelivered(LogRateLimiter& limiter, const std::string& recipient, const Error& error);

/// One effort to empty a mailbox. *One loop.*
class MailboxRun {
public:
    /// What to do with the mailbox of a recipient without any device.
    enum class NoDevice {
        Postpone,    ///< its next attempt moves on
        LeaveAlone,  ///< it has a next attempt already
    };
    /// How a run ended. *Value.*
    struct RunResult {
        std::optional<TimePoint> postponedUntil;  ///< the recipient cannot be reached until then
        /// A device has taken a message that may have been tried before, perhaps by another thread,
        /// which takes them for away.
        bool deliveredAnew = false;
    };

    virtual ~MailboxRun() = default;

    /// `onClaimed` is called after the first claim, `onEnded` at the end; each once.
    virtual void start(NoDevice noDevice,
                       std::function<void()> onClaimed,
                       std::function<void(RunResult)> onEnded) = 0;
    /// Sends nothing more; ends when all requests are answered and the other messages given back.
    virtual void stop() = 0;
    /// Takes a new message or device into this run. False when another run must follow for it.
    virtual bool tryAbsorb(NoDevice noDevice) = 0;
    /// Extends the leases of its messages if it is time to; called every kLeaseTick.
    virtual void renewLeasesIfDue() = 0;
};

/// One run over one mailbox: claims it batch by batch and offers each message to the recipient's
/// devices, in order and one at a time (or as many as the window allows), until it is empty or the
/// recipient cannot be reached.
///
/// A message is finished when a device has taken it and buried when one refuses it for good. When
/// no device can be reached, it is held until its next attempt, and the messages claimed behind it
/// are given back, uncounted. When each device can be reached only over flows of other daemons,
/// the first of these that is alive is told to deliver (docs/decisions/0030). Leases are extended
/// while a run lasts. When one is lost all the same, its message is not sent and those behind it
/// are given back: a later run has all of them in order. While the store cannot record a result, no
/// other message is offered; afterwards each lease is checked first, because the store may have
/// been replaced. *One loop.*
class DeliveryRun final : public MailboxRun, public std::enable_shared_from_this<DeliveryRun> {
public:
    struct Parts {
        EventLoop& loop;
        DelayQueue& queue;
        BindingStore& bindings;
        Uac& uac;
        SenderReports* reports = nullptr;  ///< called before a message is finished; may be null
        DeferredResponses* deferredResponses =
            nullptr;                   ///< get a device's answer; null = no sender waits
        FlowOwners* owners = nullptr;  ///< null: no other daemon works on this store
    };
    /// What the runs of a daemon share.
    struct Limits {
        DeliveryRateLimiter& rate;
        MemoryBudget& memory;
        LogRateLimiter& log;  ///< of failures of the store that end a run
    };
    struct Settings {
        std::vector<std::string> proxy;  ///< `sip.proxy`; empty = to the devices directly
        std::string ownAddress = "sip:restante@localhost";  ///< From of a job that has no sender
        std::uint32_t batch = 100;                          ///< messages claimed at once
        std::size_t window = 1;                             ///< messages under way at a time
        /// The most messages that are delivered but not yet finished in the store, which a crash
        /// would deliver twice. With 8, a Redis that syncs each write takes a second for 1,000
        /// messages; with 32, a quarter of that.
        std::size_t maxUnconfirmed = 32;
        /// The wait until the mailbox of a recipient without a device is tried again.
        Millis noDeviceRetry{900'000};
        ResponsePolicy policy = {};
        /// Whether the daemon that owns the only flow is told to deliver. Off for a run for one
        /// device that such a handover has begun: two daemons, each with a device, could send each
        /// other handovers for ever.
        bool tellsOwners = true;
        /// `sip.hold`: a mailbox that waits for a REGISTER is tried after this all the same.
        Millis holdRetry{std::chrono::hours{6}};
    };
    /// Store callbacks share ownership of the run. `settings` must outlive it. `bindings`: those of
    /// the recipient if they are known already; none = they are looked up.
    DeliveryRun(Parts parts,
                Limits limits,
                const Settings& settings,
                std::string recipient,
                const std::vector<Binding>& bindings = {});
    /// A run for one device: its routes, and the source of its messages.
    DeliveryRun(Parts parts,
                Limits limits,
                const Settings& settings,
                std::string recipient,
                std::vector<DeliveryRoute> routes,
                std::unique_ptr<MessageSource> source)
        : parts_(parts),
          limits_(limits),
          settings_(settings),
          recipient_(std::move(recipient)),
          source_(std::move(source)),
          rateTimer_(parts.loop),
          routes_(std::move(routes))
    {
    }
    /// Releases its memory but not the leases, which may be another's by now.
    ~DeliveryRun() override;

    /// Adds messages that were claimed for this run, the oldest of the mailbox. Before start().
    void adopt(std::vector<ClaimedJob> messages);

    void start(NoDevice noDevice,
               std::function<void()> onClaimed,
               std::function<void(RunResult)> onEnded) override;
    void stop() override;
    bool tryAbsorb(NoDevice) override { return false; }
    void renewLeasesIfDue() override;

private:
    using Move = std::function<void(Done<MessagesLeft>)>;
    /// A message on which we have the lease.
    struct LeasedMessage {
        ClaimedJob claimed;
        std::size_t cost = 0;             ///< bytes
        std::size_t device = 0;           ///< index in routes_: where it was sent to
        std::string attemptRecords = {};  ///< DeviceAnswer::attemptRecords of all answers so far
        bool refused = false;             ///< by a device that is there
    };
    /// A list, because messages are moved between two of them without copying.
    using Messages = std::list<LeasedMessage>;

    void findDevices();
    void handleDevices(const std::vector<Binding>& bindings);
    void begin() { askOwners(ownersElsewhere()); }
    std::vector<std::string> ownersElsewhere() const;
    void askOwners(std::vector<std::string> owners);
    void handOver(const std::string& owner);
    void claim();
    void handleBatch(std::vector<ClaimedJob> batch);
    void offerOrPostpone();
    void endUnsent(TimePoint next);
    void advance();
    void sendNext();
    bool skipToSendable();
    /// By our clock. A process that was suspended past the end of the lease must not continue with
    /// the message: another daemon may have it.
    bool isLeaseValid(const LeasedMessage& message) const
    {
        return message.claimed.leaseEnds > now();
    }
    bool delayForRate();
    void send(const LeasedMessage& message);
    void handleAnswer(const std::string& id, const DeviceAnswer& answer);
    bool offerToOtherDevices(LeasedMessage& message, const DeviceAnswer& answer);
    bool relayRefusal(const std::string& id, const DeviceAnswer& answer);
    void finish(const ClaimedJob& claimed, const Lease& lease);
    void postpone(const ClaimedJob& job, const Lease& lease, const DeviceAnswer& answer);
    void record(const Lease& lease, DeliveryResult result);
    ClaimedJob extract(Messages& from, Messages::iterator message);
    Messages::iterator findSent(const std::string& id);
    void postponeForOtherDevices(LeasedMessage& message, const DeviceAnswer& answer);
    void postponeWithoutDevice();
    void releaseIfRegistered();
    /// Gives back the waiting messages until `next`. The history gets `why` nothing was sent.
    void requeue(TimePoint next, std::string_view why = {});
    enum class Try { First, Again };
    void runUntilStored(Move move, Millis pause = Millis{100}, Try tryKind = Try::First);
    void checkLeases();
    bool mayOffer() const;
    void planLeaseRenewal();
    void touch(const ClaimedJob& job);
    void updateLease(const std::string& id, const Result<TimePoint>& deadline);
    void endIfOver();
    void reportClaimed();

    Lease leaseOf(const ClaimedJob& claimed) const
    {
        const auto& job = claimed.job;
        return {.id = job.id,
                .attempt = claimed.attempt,
                .recipient = recipient_,
                .created = job.created};
    }
    Lease leaseOf(const LeasedMessage& message) const;
    TimePoint now() const { return parts_.queue.clock().now(); }

    template <class Handler>
    auto guarded(Handler handler)
    {
        return guard(weak_from_this(), std::move(handler));
    }

    Parts parts_;
    Limits limits_;
    const Settings& settings_;
    std::string recipient_;
    std::unique_ptr<MessageSource> source_;
    NoDevice noDevice_ = NoDevice::Postpone;
    std::function<void()> onClaimed_;
    std::function<void(RunResult)> onEnded_;
    Timer rateTimer_;
    TimePoint nextLeaseRenewal_ = TimePoint::max();  ///< when the leases are extended next

    std::vector<DeliveryRoute> routes_;
    std::size_t device_ = 0;  ///< index in routes_: the first that has not failed in this run
    Messages waiting_;        ///< claimed, in order
    Messages sent_;           ///< not yet answered, in the order of sending
    std::optional<TimePoint> reservedTime_;  ///< send time of the next message
    std::size_t pendingStoreCalls_ = 0;      ///< moves that the store has not answered yet
    std::size_t repeatedMoves_ = 0;          ///< of these, repeated because it was unavailable
    std::size_t pendingLeaseChecks_ = 0;     ///< of these, those that check a lease
    MessagesLeft messagesLeft_;              ///< after the last move that the store has answered
    bool onlyRegisterHelps_ = true;          ///< each device has said that only a REGISTER helps
    bool stopped_ = false;
    bool claimsNoMore_ = false;  ///< a message put back would be claimed again first
    bool ending_ = false;        ///< nothing more is claimed or sent in this run
    std::string owner_;          ///< the daemon that is to serve this mailbox; empty = us
    bool tellsOwnerAtEnd_ = false;
    RunResult result_;
};

}  // namespace restante::sip
