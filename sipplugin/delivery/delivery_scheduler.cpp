#include "sipplugin/delivery/delivery_scheduler.h"

#include "sipplugin/delivery/all_devices_run.h"

#include <array>
#include <utility>

namespace restante::sip {
namespace {
/// A mailbox that becomes due while a run has it is checked again after this.
constexpr Millis kBusyRetry{1'000};

/// About 10 MB. Forgetting them all costs no more than one attempt each.
constexpr std::size_t kMostPostponed = 100'000;

/// A message that has just come already has a next attempt.
MailboxRun::NoDevice noDeviceOf(DeliveryScheduler::Cause cause)
{
    return cause == DeliveryScheduler::Cause::Due ? MailboxRun::NoDevice::Postpone
                                                  : MailboxRun::NoDevice::LeaveAlone;
}

bool isAboutMessage(DeliveryScheduler::Cause cause)
{
    return cause == DeliveryScheduler::Cause::Stored ||
           cause == DeliveryScheduler::Cause::HandedOver;
}

}  // namespace

DeliveryScheduler::DeliveryScheduler(DeliveryRun::Parts parts, Settings settings)
    : parts_(parts),
      settings_(std::move(settings)),
      rateLimiter_(settings_.pace, settings_.perSecond, settings_.sharedUsage),
      memory_(settings_.memory, settings_.sharedUsage),
      logLimiter_(parts.queue.clock()),
      leaseTimer_(parts.loop)
{
    // From the proxy they mean that it is not configured for us, or forwards nothing to contacts:
    // an operator repairs that, and no backlog should become dead meanwhile.
    constexpr auto kProxyStatuses = std::to_array<std::uint16_t>({400, 403, 405});
    if (!settings_.run.proxy.empty()) {
        for (const auto status : kProxyStatuses) {
            settings_.run.policy = settings_.run.policy.orElse({status, status, Verdict::Retry});
        }
    }
    handedOverSettings_ = settings_.run;
    handedOverSettings_.tellsOwners = false;
}

DeliveryScheduler::~DeliveryScheduler() = default;

void DeliveryScheduler::open()
{
    open_ = true;
    beginQueued();
}

void DeliveryScheduler::schedule(const std::string& recipient,
                                 Cause cause,
                                 std::function<void()> onClaimed,
                                 const std::vector<Binding>& bindings)
{
    if (!onClaimed) {
        onClaimed = [] {};
    }
    if (draining_ || skipIfPostponed(recipient, cause)) {
        return onClaimed();
    }
    if (auto arriving = arriving_.find(recipient); arriving != arriving_.end()) {
        arriving->second.scheduled.push_back({cause, std::move(onClaimed)});
        return;
    }
    if (auto entry = active_.find(recipient); entry != active_.end()) {
        return join(entry->second, cause, std::move(onClaimed));
    }
    if (mayBegin()) {
        return begin(recipient, cause, std::move(onClaimed), bindings);
    }
    const auto [queued, isNew] = queued_.emplace(recipient, cause);
    if (queued->second == Cause::HandedOver) {
        queued->second = cause;  // what comes now may have to be handed on
    }
    if (isNew || cause == Cause::Due) {
        queue_.push_back({recipient, cause, std::move(onClaimed)});
    } else {
        onClaimed();
    }
}

bool DeliveryScheduler::mayBegin() const
{
    const auto busyMailboxes = active_.size() + arriving_.size();
    return open_ && busyMailboxes < settings_.maxConcurrent &&
           (memory_.hasRoom() || busyMailboxes == 0);
}

BindingUpdate::ClaimLimits DeliveryScheduler::prepareArrival(const std::string& recipient)
{
    if (settings_.everyDevice || draining_ || !mayBegin() || active_.contains(recipient) ||
        arriving_.contains(recipient)) {
        return {};
    }
    const auto grant = memory_.grant(settings_.run.batch);
    arriving_[recipient].reserved = grant.reservedBytes;
    return {grant.maxMessages, grant.maxRecordBytes};
}

void DeliveryScheduler::handleArrival(const std::string& recipient,
                                      const BindingUpdate::ClaimLimits& prepared,
                                      Result<Arrival> arrival)
{
    decltype(arriving_)::node_type arriving;
    if (prepared.messages > 0) {
        arriving = arriving_.extract(recipient);
    }
    if (!arriving.empty()) {
        memory_.release(arriving.mapped().reserved);
    }
    if (arrival) {
        forgetUnreachable(recipient);
        deliver(recipient, std::move(*arrival));
    }
    if (!arriving.empty()) {
        for (auto& scheduledRun : arriving.mapped().scheduled) {
            schedule(recipient, scheduledRun.cause, std::move(scheduledRun.onClaimed));
        }
    }
    beginQueued();
    reportIfDrained();
}

void DeliveryScheduler::deliver(const std::string& recipient, Arrival arrival)
{
    if (arrival.messages.empty()) {
        if (arrival.waiting > 0) {
            schedule(recipient, Cause::Registered, {}, arrival.bindings);
        }
        return;
    }
    if (draining_) {
        return giveBack(recipient, std::move(arrival.messages));
    }
    const auto run = std::make_shared<DeliveryRun>(
        parts_, DeliveryRun::Limits{rateLimiter_, memory_, logLimiter_}, settings_.run, recipient,
        arrival.bindings);
    run->adopt(std::move(arrival.messages));
    begin(
        recipient, Cause::Registered, [] {}, run);
}

/// Tried once: messages that the store cannot take back now return when their leases end.
void DeliveryScheduler::giveBack(const std::string& recipient, std::vector<ClaimedJob> messages)
{
    pendingGiveBacks_ += messages.size();
    for (const auto& message : messages) {
        parts_.queue.store().hold({.lease = {message.job.id, message.attempt, recipient},
                                   .nextAttempt = parts_.queue.clock().now(),
                                   .counted = false},
                                  callbackGuard_.guard([this](const Result<void>& /*held*/) {
                                      --pendingGiveBacks_;
                                      reportIfDrained();
                                  }));
    }
}

std::shared_ptr<MailboxRun> DeliveryScheduler::newRun(const std::string& recipient,
                                                      Cause cause,
                                                      const std::vector<Binding>& bindings)
{
    const DeliveryRun::Limits limits{rateLimiter_, memory_, logLimiter_};
    if (settings_.everyDevice) {
        return std::make_shared<AllDevicesRun>(
            parts_, limits,
            AllDevicesRun::Settings{
                settings_.run, cause == Cause::HandedOver ? handedOverSettings_ : settings_.run,
                settings_.keep},
            recipient);
    }
    return std::make_shared<DeliveryRun>(parts_, limits, settings_.run, recipient, bindings);
}

bool DeliveryScheduler::skipIfPostponed(const std::string& recipient, Cause cause)
{
    auto found = postponed_.find(recipient);
    if (found == postponed_.end()) {
        return false;
    }
    const auto wait = found->second.until - parts_.queue.clock().now();
    if (isAboutMessage(cause) && wait > Millis{0}) {
        const bool isFirst = !std::exchange(found->second.messageSkipped, true);
        if (isFirst && parts_.owners != nullptr && wait <= kAbsenceCacheTime) {
            parts_.loop.armTimer(
                std::chrono::ceil<Millis>(wait),
                callbackGuard_.guard([this, recipient, until = found->second.until] {
                    handleAbsenceEnd(recipient, until);
                }));
        }
        return true;
    }
    postponed_.erase(found);
    return false;
}

/// Other daemons do not tell who registers with them: a message that was left alone meanwhile would
/// wait for its next attempt. `until` says which absence it is: the clock follows that of Redis,
/// and may stand a little before it when the timer of the loop goes off.
void DeliveryScheduler::handleAbsenceEnd(const std::string& recipient, TimePoint until)
{
    const auto found = postponed_.find(recipient);
    if (found != postponed_.end() && found->second.until == until) {
        postponed_.erase(found);
        schedule(recipient, Cause::Stored);
    }
}

bool DeliveryScheduler::willTrySoon(const std::string& recipient) const
{
    const auto found = postponed_.find(recipient);
    return !draining_ &&
           (found == postponed_.end() || parts_.queue.clock().now() >= found->second.until);
}

bool DeliveryScheduler::forgetPostponement(const std::string& recipient)
{
    const auto postponement = postponed_.extract(recipient);
    return !postponement.empty() && postponement.mapped().messageSkipped;
}

void DeliveryScheduler::handleDeliveredElsewhere(const std::string& recipient)
{
    if (forgetPostponement(recipient)) {
        schedule(recipient, Cause::Registered);
    }
}

void DeliveryScheduler::handleReachableElsewhere(const std::string& recipient)
{
    const bool messageSkipped = forgetPostponement(recipient);
    if (messageSkipped || active_.contains(recipient) || arriving_.contains(recipient)) {
        schedule(recipient, Cause::Registered);
    }
}

void DeliveryScheduler::begin(const std::string& recipient,
                              Cause cause,
                              std::function<void()> onClaimed,
                              const std::vector<Binding>& bindings)
{
    begin(recipient, cause, std::move(onClaimed), newRun(recipient, cause, bindings));
}

void DeliveryScheduler::begin(const std::string& recipient,
                              Cause cause,
                              std::function<void()> onClaimed,
                              std::shared_ptr<MailboxRun> run)
{
    if (!leaseTimer_.armed()) {
        leaseTimer_.arm(kLeaseTick, [this] { tickLeases(); });
    }
    auto& entry = active_[recipient];
    entry.run = run;
    entry.tellsNoOwners = settings_.everyDevice && cause == Cause::HandedOver;
    entry.claimWaiters.push_back(std::move(onClaimed));
    const auto noDevice = noDeviceOf(cause);
    run->start(
        noDevice, [this, recipient] { handleClaimed(recipient); },
        [this, recipient](const MailboxRun::RunResult& result) { finish(recipient, result); });
}

void DeliveryScheduler::tickLeases()
{
    for (const auto& [recipient, entry] : active_) {
        entry.run->renewLeasesIfDue();
    }
    if (!active_.empty()) {
        leaseTimer_.arm(kLeaseTick, [this] { tickLeases(); });
    }
}

void DeliveryScheduler::handleClaimed(const std::string& recipient)
{
    auto& entry = active_.at(recipient);
    entry.claimed = true;
    for (auto& onClaimed : std::exchange(entry.claimWaiters, {})) {
        onClaimed();
    }
}

void DeliveryScheduler::join(ActiveRun& entry, Cause cause, std::function<void()> onClaimed)
{
    const bool mustTellOwners = entry.tellsNoOwners && cause != Cause::HandedOver;
    const bool absorbed = entry.run->tryAbsorb(noDeviceOf(cause)) && !mustTellOwners;
    entry.mustRunAgain = entry.mustRunAgain || (!absorbed && cause == Cause::Registered);
    entry.mustRunAgainUnlessPostponed =
        entry.mustRunAgainUnlessPostponed || (!absorbed && isAboutMessage(cause));
    entry.mustRunAgain = entry.mustRunAgain || (mustTellOwners && cause == Cause::Due);
    if (!entry.claimed) {
        entry.claimWaiters.push_back(std::move(onClaimed));
        return;
    }
    // Due although we have claimed it: somebody has released it.
    entry.mustRunAgain = entry.mustRunAgain || (!absorbed && cause == Cause::Due);
    parts_.loop.armTimer(kBusyRetry,
                         callbackGuard_.guard([onClaimed = std::move(onClaimed)] { onClaimed(); }));
}

void DeliveryScheduler::finish(const std::string& recipient, const MailboxRun::RunResult& result)
{
    const auto entry = std::move(active_.extract(recipient).mapped());
    if (result.postponedUntil) {
        if (postponed_.size() >= kMostPostponed) {
            postponed_.clear();
        }
        postponed_[recipient] = {*result.postponedUntil};
    }
    if (settings_.onEnded) {
        settings_.onEnded(recipient, result);
    }
    if (entry.mustRunAgain || (entry.mustRunAgainUnlessPostponed && !result.postponedUntil)) {
        schedule(recipient, Cause::Registered);
    }
    beginQueued();
    reportIfDrained();
}

void DeliveryScheduler::beginQueued()
{
    while (!draining_ && !queue_.empty() && mayBegin()) {
        auto queuedRun = std::move(queue_.front());
        queue_.pop_front();
        const auto queued = queued_.extract(queuedRun.recipient);
        const bool isOther = queuedRun.cause == Cause::HandedOver && !queued.empty();
        schedule(queuedRun.recipient, isOther ? queued.mapped() : queuedRun.cause,
                 std::move(queuedRun.onClaimed));
    }
}

void DeliveryScheduler::drain(std::function<void()> drained)
{
    draining_ = true;
    onDrained_ = std::move(drained);
    for (auto& queuedRun : std::exchange(queue_, {})) {
        queuedRun.onClaimed();
    }
    std::vector<std::shared_ptr<MailboxRun>> runs;  // because stop() may end a run at once
    for (const auto& [recipient, entry] : active_) {
        runs.push_back(entry.run);
    }
    for (const auto& run : runs) {
        run->stop();
    }
    reportIfDrained();
}

void DeliveryScheduler::reportIfDrained()
{
    if (draining_ && active_.empty() && arriving_.empty() && pendingGiveBacks_ == 0 && onDrained_) {
        std::exchange(onDrained_, {})();
    }
}

}  // namespace restante::sip
