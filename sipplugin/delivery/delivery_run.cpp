#include "sipplugin/delivery/delivery_run.h"

#include "core/base/clock.h"
#include "core/base/log.h"
#include "sipplugin/message/aor.h"

#include <algorithm>

namespace restante::sip {

namespace {

/// When a message has used up its retry schedule, the ones behind it are tried after this.
constexpr Millis kRetryAfterDeadMessage{60'000};

/// A lease lasts this long after the store was last reached.
constexpr Millis kLeaseExtension{60'000};
/// The least wait, also when leases have lapsed while the store was away.
constexpr Millis kShortestRenewalInterval{1'000};

/// A mailbox handed to another daemon is tried again after this in any case.
constexpr Millis kHandoverRetry{60'000};

/// The history's note for an attempt that sent no request.
constexpr std::string_view kNoDeviceNote = "no device is registered";

/// The longest wait before a move that the store could not take is repeated.
constexpr Millis kLongestStoreRetryPause{1'000};

using ResultKind = DeliveryResult::Kind;

std::string refusalBy(const DeviceAnswer& answer)
{
    return "refused by the recipient: " + answer.toString();
}

}  // namespace

void logUndelivered(LogRateLimiter& limiter, const std::string& recipient, const Error& error)
{
    if (const auto count = limiter.countToLog(); count > 0) {
        log::warning("sip", "the store has failed {} deliveries, the last to {}: {}", count,
                     recipient, error.message);
    }
}

DeliveryRun::DeliveryRun(Parts parts,
                         Limits limits,
                         const Settings& settings,
                         std::string recipient,
                         const std::vector<Binding>& bindings)
    : DeliveryRun(parts,
                  limits,
                  settings,
                  recipient,
                  {},
                  std::make_unique<MailboxSource>(parts.queue, recipient))
{
    if (!settings_.proxy.empty()) {
        routes_ = {routeThroughProxy(recipient_, settings_.proxy)};
    } else {
        handleDevices(bindings);
    }
}

DeliveryRun::~DeliveryRun()
{
    for (const auto* messages : {&waiting_, &sent_}) {
        for (const auto& one : *messages) {
            limits_.memory.release(one.cost);
        }
    }
}

void DeliveryRun::adopt(std::vector<ClaimedJob> messages)
{
    for (auto& claimed : messages) {
        const auto cost = limits_.memory.sampleCost(claimed);
        limits_.memory.acquire(cost);
        waiting_.push_back({std::move(claimed), cost});
    }
}

void DeliveryRun::start(NoDevice noDevice,
                        std::function<void()> onClaimed,
                        std::function<void(RunResult)> onEnded)
{
    noDevice_ = noDevice;
    onClaimed_ = std::move(onClaimed);
    onEnded_ = std::move(onEnded);
    routes_.empty() ? findDevices() : begin();
}

void DeliveryRun::stop()
{
    stopped_ = true;
    if (sent_.empty()) {
        advance();
    }
}

void DeliveryRun::findDevices()
{
    parts_.bindings.lookup(canonicalAor(recipient_).value_or(recipient_),
                           guarded([this](const auto& bindings) {
                               if (!bindings) {
                                   logUndelivered(limits_.log, recipient_, bindings.error());
                                   return endUnsent(now());
                               }
                               handleDevices(*bindings);
                               if (routes_.empty() && noDevice_ == NoDevice::LeaveAlone) {
                                   result_.postponedUntil = now() + kAbsenceCacheTime;
                                   return endUnsent(*result_.postponedUntil);
                               }
                               begin();
                           }));
}

void DeliveryRun::handleDevices(const std::vector<Binding>& bindings)
{
    for (const auto& binding : bindings) {
        if (auto route = routeToDevice(binding)) {
            routes_.push_back(std::move(*route));
        } else {
            log::warning("sip", "a device of {} is passed over: {}", recipient_,
                         route.error().message);
        }
    }
}

/// The other daemons that own all flows to the devices, best device first; empty when we can reach
/// one ourselves.
std::vector<std::string> DeliveryRun::ownersElsewhere() const
{
    std::vector<std::string> owners;
    for (const auto& route : routes_) {
        const auto owner = flowOwnerOf(route.flow);
        if (parts_.owners == nullptr || !ownerDelivers(route) || parts_.owners->isOwnName(owner)) {
            return {};
        }
        if (std::ranges::find(owners, owner) == owners.end()) {
            owners.emplace_back(owner);
        }
    }
    return owners;
}

/// Hands the mailbox to the first living owner. When none lives, we make the attempt, which fails.
void DeliveryRun::askOwners(std::vector<std::string> owners)
{
    if (owners.empty()) {
        return claim();
    }
    const auto owner = owners.front();
    owners.erase(owners.begin());
    parts_.owners->isAlive(owner,
                           guarded([this, owner, others = std::move(owners)](const auto& living) {
                               living.value_or(false) ? handOver(owner) : askOwners(others);
                           }));
}

void DeliveryRun::handOver(const std::string& owner)
{
    owner_ = owner;
    if (noDevice_ == NoDevice::LeaveAlone) {
        tellsOwnerAtEnd_ = settings_.tellsOwners;
        return endUnsent(now() + kHandoverRetry);
    }
    claim();  // the mailbox is due: its next attempt must be set
}

void DeliveryRun::claim()
{
    if (!waiting_.empty()) {
        offerOrPostpone();
        return reportClaimed();
    }
    // An unreachable recipient needs only one message, which carries the next attempt.
    const bool needsOne = routes_.empty() || !owner_.empty();
    const auto grant = limits_.memory.grant(needsOne ? 1 : settings_.batch);
    ++pendingStoreCalls_;
    source_->claim(
        grant.maxMessages, grant.maxRecordBytes,
        guarded([this, reserved = grant.reservedBytes](Result<std::vector<ClaimedJob>> batch) {
            limits_.memory.release(reserved);
            --pendingStoreCalls_;
            if (!batch) {
                logUndelivered(limits_.log, recipient_, batch.error());
            }
            handleBatch(batch ? std::move(*batch) : std::vector<ClaimedJob>{});
            reportClaimed();
        }));
}

void DeliveryRun::handleBatch(std::vector<ClaimedJob> batch)
{
    tellsOwnerAtEnd_ = !owner_.empty() && !ending_ && !stopped_ && !batch.empty();
    ending_ = ending_ || batch.empty() || tellsOwnerAtEnd_;
    adopt(std::move(batch));
    if (ending_) {
        // The batch came after stop(), or the owner is to claim it.
        requeue(tellsOwnerAtEnd_ ? now() + kHandoverRetry : now());
        return endIfOver();
    }
    offerOrPostpone();
}

void DeliveryRun::offerOrPostpone()
{
    planLeaseRenewal();
    if (routes_.empty()) {
        postponeWithoutDevice();
    } else {
        advance();
    }
}

/// Ends the run before anything was sent; messages already claimed are tried again at `next`.
void DeliveryRun::endUnsent(TimePoint next)
{
    ending_ = true;
    requeue(next);
    endIfOver();
}

void DeliveryRun::advance()
{
    if (stopped_ && !ending_ && sent_.empty()) {
        ending_ = true;
        requeue(now());
    }
    sendNext();
    // The store gives out nothing while one of the mailbox's messages is leased.
    if (!ending_ && !stopped_ && waiting_.empty() && sent_.empty() && pendingStoreCalls_ == 0) {
        // A message that is stored after the last one is announced to us, or its own run finds the
        // mailbox free.
        ending_ = claimsNoMore_ || messagesLeft_ == MessagesLeft{0};
        ending_ ? endIfOver() : claim();
    }
    endIfOver();
}

/// Sends as many messages as the window allows.
void DeliveryRun::sendNext()
{
    while (!ending_ && !stopped_ && skipToSendable() && sent_.size() < settings_.window &&
           mayOffer() && !delayForRate()) {
        waiting_.front().device = device_;
        sent_.splice(sent_.end(), waiting_, waiting_.begin());
        send(sent_.back());
    }
}

bool DeliveryRun::mayOffer() const
{
    return pendingStoreCalls_ < settings_.maxUnconfirmed && repeatedMoves_ == 0 &&
           pendingLeaseChecks_ == 0;
}

/// Buries expired messages at the front. True when the next one can be sent. A lost lease ends the
/// run, because the messages behind would overtake that one.
bool DeliveryRun::skipToSendable()
{
    while (!ending_ && !waiting_.empty()) {
        const auto& first = waiting_.front().claimed;
        if (first.job.expires && *first.job.expires <= now()) {
            record(leaseOf(first), {ResultKind::Expired});
            extract(waiting_, waiting_.begin());
            continue;
        }
        if (isLeaseValid(waiting_.front())) {
            return true;
        }
        if (!sent_.empty()) {
            return false;
        }
        extract(waiting_, waiting_.begin());
        ending_ = true;
        requeue(now());
    }
    return false;
}

/// Removes the message from the list and releases its memory.
ClaimedJob DeliveryRun::extract(Messages& from, Messages::iterator message)
{
    limits_.memory.release(message->cost);
    auto claimed = std::move(message->claimed);
    from.erase(message);
    return claimed;
}

DeliveryRun::Messages::iterator DeliveryRun::findSent(const std::string& id)
{
    return std::ranges::find_if(sent_,
                                [&](const auto& message) { return message.claimed.job.id == id; });
}

/// Reserves the send time of the next message. True when it has to wait for that: the timer then
/// continues with it.
bool DeliveryRun::delayForRate()
{
    const auto time = now();
    reservedTime_ = reservedTime_ ? reservedTime_ : limits_.rate.reserveSendTime(time);
    const auto earliest = std::max(*reservedTime_, limits_.rate.nextSendTimeFor(recipient_));
    if (earliest <= time) {
        reservedTime_.reset();
        limits_.rate.recordSent(recipient_, time);
        return false;
    }
    rateTimer_.arm(earliest - time, guarded([this] { advance(); }));
    return true;
}

void DeliveryRun::send(const LeasedMessage& message)
{
    const auto& claimed = message.claimed;
    parts_.uac.send(
        outgoingMessageOf(claimed.job, claimed.attempt, settings_.ownAddress),
        routes_[message.device],
        guarded([this, id = claimed.job.id](const auto& answer) { handleAnswer(id, answer); }));
}

void DeliveryRun::handleAnswer(const std::string& id, const DeviceAnswer& answer)
{
    const auto found = findSent(id);
    const auto verdict = settings_.policy.verdictOn(answer);
    found->attemptRecords += answer.attemptRecords;
    const auto lease = leaseOf(*found);
    if (verdict == Verdict::Retry || verdict == Verdict::Hold) {
        // Another message may have found before that this device is away. A message that came here
        // because an earlier device refused it says nothing about that earlier device.
        if (found->device <= device_) {
            device_ = std::max(device_, found->device + 1);
        }
        const auto next = std::max(device_, found->device + 1);
        onlyRegisterHelps_ = onlyRegisterHelps_ && verdict == Verdict::Hold;
        if (!stopped_ && !ending_ && isLeaseValid(*found) && next < routes_.size()) {
            found->device = next;
            return send(*found);  // the same message, to the next device
        }
        onlyRegisterHelps_ = onlyRegisterHelps_ && next == routes_.size();
        if (found->refused) {
            return postponeForOtherDevices(*found, answer);
        }
        postpone(extract(sent_, found), lease, answer);
        return advance();
    }
    if (verdict == Verdict::Dead && offerToOtherDevices(*found, answer)) {
        return;
    }
    const auto job = extract(sent_, found);
    if (verdict == Verdict::Delivered) {
        // Copies for single devices have no attempts.
        result_.deliveredAnew = result_.deliveredAnew || lease.attempt != 1;
        if (parts_.deferredResponses != nullptr) {
            parts_.deferredResponses->handleTaken(id, answer);
        }
        finish(job, lease);
    } else {
        log::info("sip", "message {} to {} is dead: {}", id, recipient_, answer.toString());
        const auto reason =
            relayRefusal(id, answer) ? relayedRefusalReason(answer) : refusalBy(answer);
        record(lease, {ResultKind::Refused, reason});
    }
    advance();
}

/// Answers the sender with the refusal, if it waits for that; false if not. Called before the
/// message is buried, so that the recorded reason is true; a crash in between costs one more offer.
bool DeliveryRun::relayRefusal(const std::string& id, const DeviceAnswer& answer)
{
    return parts_.deferredResponses != nullptr && source_->refusalIsFinal() &&
           parts_.deferredResponses->relayRefusal(id, answer);
}

/// Another device may take what one has refused, unless that refused for its user (6xx). True when
/// the message was sent to another, or waits for one that is away.
bool DeliveryRun::offerToOtherDevices(LeasedMessage& message, const DeviceAnswer& answer)
{
    if (answer.status >= 600) {
        return false;
    }
    const auto next = std::max(message.device + 1, device_);
    if (!stopped_ && !ending_ && isLeaseValid(message) && next < routes_.size()) {
        onlyRegisterHelps_ = false;
        message.device = next;
        message.refused = true;
        send(message);
        return true;
    }
    // Devices before device_ were not reached in this run, and those from `next` on not asked.
    if (device_ == 0 && next >= routes_.size()) {
        return false;
    }
    postponeForOtherDevices(message, answer);
    return true;
}

/// One device has refused the message and others are away: it waits for those, without blocking
/// the messages behind it, unless no device is left for these.
void DeliveryRun::postponeForOtherDevices(LeasedMessage& message, const DeviceAnswer& answer)
{
    onlyRegisterHelps_ = false;
    claimsNoMore_ = true;
    const auto lease = leaseOf(message);
    const auto job = extract(sent_, findSent(message.claimed.job.id));
    const auto planned = parts_.queue.nextAttempt(job.job, job.countedAttempts());
    const auto next = planned.value_or(now() + kRetryAfterDeadMessage);
    result_.postponedUntil = std::max(next, result_.postponedUntil.value_or(next));
    record(lease, {ResultKind::Unreachable, answer.toString(),
                   planned ? std::optional{next} : std::nullopt});
    // With a window, another message may have found that the devices before this one are away.
    if (device_ >= routes_.size()) {
        ending_ = true;
        requeue(*result_.postponedUntil);
    }
    advance();
}

/// The report to the sender comes first: after a crash in between both are repeated.
void DeliveryRun::finish(const ClaimedJob& claimed, const Lease& lease)
{
    auto* reports = parts_.reports;
    if (reports == nullptr || !reports->concerns(claimed.job, Disposition::Delivered)) {
        return record(lease, {ResultKind::Delivered});
    }
    runUntilStored([this, reports, job = claimed.job, lease](Done<MessagesLeft> done) {
        reports->reportDelivered(job, guarded([this, lease, done](const Result<void>& reported) {
                                     reported
                                         ? source_->record(lease, {ResultKind::Delivered}, done)
                                         : done(tl::unexpected(reported.error()));
                                 }));
    });
}

void DeliveryRun::record(const Lease& lease, DeliveryResult result)
{
    runUntilStored([this, lease, result = std::move(result)](Done<MessagesLeft> done) {
        source_->record(lease, result, std::move(done));
    });
}

/// Every device has failed to take this message.
void DeliveryRun::postpone(const ClaimedJob& job, const Lease& lease, const DeviceAnswer& answer)
{
    log::debug("sip", "{} cannot be reached: {}", recipient_, answer.toString());
    // A mailbox on hold waits for a REGISTER: the attempt counts, but the schedule does not say how
    // long to wait, nor that it was the last.
    const auto planned = onlyRegisterHelps_
                             ? std::optional{now() + settings_.holdRetry}
                             : parts_.queue.nextAttempt(job.job, job.countedAttempts());
    auto next = std::max(planned.value_or(now() + kRetryAfterDeadMessage),
                         momentAfter(parts_.queue.clock(), wantedPause(answer)));
    next = std::max(next, result_.postponedUntil.value_or(next));
    record(lease, {ResultKind::Unreachable, answer.toString(),
                   planned ? std::optional{next} : std::nullopt});
    ending_ = true;
    result_.postponedUntil = next;
    requeue(next);
}

void DeliveryRun::postponeWithoutDevice()
{
    ending_ = true;
    result_.postponedUntil = now() + kAbsenceCacheTime;
    requeue(now() + settings_.noDeviceRetry, kNoDeviceNote);
    releaseIfRegistered();
}

/// A REGISTER at another daemon may have released the mailbox, which our hold has undone.
void DeliveryRun::releaseIfRegistered()
{
    runUntilStored([this](Done<MessagesLeft> done) {
        parts_.bindings.lookup(
            canonicalAor(recipient_).value_or(recipient_), guarded([this, done](auto bindings) {
                if (!bindings) {
                    return done(tl::unexpected(bindings.error()));
                }
                // A binding that cannot be used would make us try for ever.
                const bool usable = std::ranges::any_of(*bindings, [](const Binding& binding) {
                    return routeToDevice(binding).has_value();
                });
                if (!usable) {
                    return done(MessagesLeft{});
                }
                parts_.queue.store().releaseMailbox(recipient_, [done](const auto& released) {
                    done(released.map([](auto) { return MessagesLeft{}; }));
                });
            }));
    });
}

void DeliveryRun::requeue(TimePoint next, std::string_view why)
{
    while (!waiting_.empty()) {
        const auto claimed = extract(waiting_, waiting_.begin());
        auto lease = std::make_shared<Lease>(leaseOf(claimed));
        lease->note = why;
        runUntilStored([this, lease, ends = claimed.leaseEnds, next](Done<MessagesLeft> done) {
            source_->record(*lease, {ResultKind::Untried, "", next}, std::move(done));
            lease->ends = ends;  // of a repetition: see Lease
        });
    }
}

/// Makes a move and repeats it while the store is unavailable; otherwise the message would be
/// delivered again. Safe, because moves are fenced by the attempt; uncounted ones, by the lease's
/// end.
void DeliveryRun::runUntilStored(Move move, Millis pause, Try tryKind)
{
    ++pendingStoreCalls_;
    repeatedMoves_ += tryKind == Try::Again ? 1 : 0;
    move(guarded([this, move, pause, tryKind](const Result<MessagesLeft>& moved) {
        messagesLeft_ = moved.value_or(MessagesLeft{});
        if (!moved && isTemporary(moved.error().code)) {
            log::debug("sip", "{}: {}", recipient_, moved.error().message);
            repeatedMoves_ += tryKind == Try::First ? 1 : 0;
            parts_.loop.armTimer(
                pause, guarded([this, move, pause] {
                    --pendingStoreCalls_;
                    --repeatedMoves_;
                    runUntilStored(move, std::min(2 * pause, kLongestStoreRetryPause), Try::Again);
                }));
            return;
        }
        if (!moved) {
            // An operator, or a reaper of our lease, has moved it meanwhile.
            log::info("sip", "mailbox {}: {}", recipient_, moved.error().message);
        }
        --pendingStoreCalls_;
        repeatedMoves_ -= tryKind == Try::Again ? 1 : 0;
        if (!moved || (tryKind == Try::Again && repeatedMoves_ == 0)) {
            checkLeases();
        }
        advance();
    }));
}

/// Asks whether the leases of waiting messages are still ours. Nothing is sent until all answers
/// have come.
void DeliveryRun::checkLeases()
{
    if (pendingLeaseChecks_ > 0 || ending_) {
        return;
    }
    for (const auto& message : waiting_) {
        ++pendingLeaseChecks_;
        runUntilStored([this, lease = leaseOf(message)](Done<MessagesLeft> done) {
            source_->touch(lease, kLeaseExtension,
                           guarded([this, id = lease.id, done](const Result<TimePoint>& deadline) {
                               updateLease(id, deadline);
                               if (!deadline && isTemporary(deadline.error().code)) {
                                   return done(tl::unexpected(deadline.error()));
                               }
                               --pendingLeaseChecks_;
                               done(MessagesLeft{});  // updateLease() has recorded a lost lease
                           }));
        });
    }
}

void DeliveryRun::planLeaseRenewal()
{
    auto soonest = TimePoint::max();
    for (const auto* messages : {&waiting_, &sent_}) {
        for (const auto& one : *messages) {
            soonest = std::min(soonest, one.claimed.leaseEnds);
        }
    }
    // After a third of the time, so that the store may be unavailable for a while.
    nextLeaseRenewal_ = soonest == TimePoint::max()
                            ? soonest
                            : now() + std::max((soonest - now()) / 3, kShortestRenewalInterval);
}

void DeliveryRun::renewLeasesIfDue()
{
    if (now() < nextLeaseRenewal_) {
        return;
    }
    for (const auto* messages : {&waiting_, &sent_}) {
        for (const auto& one : *messages) {
            touch(one.claimed);
        }
    }
    planLeaseRenewal();
}

void DeliveryRun::touch(const ClaimedJob& job)
{
    source_->touch(
        leaseOf(job), kLeaseExtension,
        guarded([this, id = job.job.id](const auto& deadline) { updateLease(id, deadline); }));
}

void DeliveryRun::updateLease(const std::string& id, const Result<TimePoint>& deadline)
{
    for (auto* messages : {&waiting_, &sent_}) {
        for (auto& one : *messages) {
            if (one.claimed.job.id != id) {
                continue;
            }
            if (deadline) {
                one.claimed.leaseEnds = *deadline;
            } else if (!isTemporary(deadline.error().code)) {
                one.claimed.leaseEnds = TimePoint{};  // not ours any more: see skipToSendable()
            }
        }
    }
}

void DeliveryRun::endIfOver()
{
    if (!ending_ || !sent_.empty() || pendingStoreCalls_ > 0 || !onEnded_) {
        return;
    }
    rateTimer_.cancel();
    reportClaimed();
    if (std::exchange(tellsOwnerAtEnd_, false)) {
        parts_.owners->tell(owner_, {recipient_, noDevice_ == NoDevice::Postpone});
    }
    std::exchange(onEnded_, {})(result_);
}

Lease DeliveryRun::leaseOf(const LeasedMessage& message) const
{
    auto lease = leaseOf(message.claimed);
    lease.note = message.attemptRecords;
    return lease;
}

void DeliveryRun::reportClaimed()
{
    if (auto onClaimed = std::exchange(onClaimed_, {})) {
        onClaimed();
    }
}

}  // namespace restante::sip
