#include "sipplugin/delivery/delivery_run.h"

#include "core/base/clock.h"
#include "core/base/log.h"
#include "sipplugin/message/aor.h"

#include <algorithm>

namespace restante::sip {

namespace {

/// When a message with a retry of its own has used it up, the ones behind it are tried after this.
constexpr Millis kPauseAfterDeadMessage{60'000};

/// What is worked on stays ours for this long after the store was last reached.
constexpr Millis kKeptLease{60'000};
/// For leases that have lapsed while the store was away.
constexpr Millis kLeastPauseOfLeases{1'000};

/// A mailbox handed to another daemon is tried again after this in any case.
constexpr Millis kHandedOver{60'000};

/// For the history of the message: there is no request to tell of.
constexpr std::string_view kNoDevice = "no device is registered";

/// Waits between repetitions of a move that the store could not take.
constexpr Millis kLongestPauseOfStore{1'000};

using Fate = MessageFate::Kind;

std::string refusalBy(const DeviceAnswer& answer)
{
    return "refused by the recipient: " + answer.print();
}

}  // namespace

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
        const auto cost = limits_.memory.costOf(claimed);
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
    parts_.bindings.lookup(
        canonicalAor(recipient_).value_or(recipient_), guarded([this](const auto& found) {
            if (!found) {
                log::warning("sip", "no delivery to {}: {}", recipient_, found.error().message);
                return endUnsent(now());
            }
            handleDevices(*found);
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

/// The daemons without which no device is reached, best device first.
std::vector<std::string> DeliveryRun::ownersElsewhere() const
{
    std::vector<std::string> owners;
    for (const auto& route : routes_) {
        const auto owner = flowHolderOf(route.flow);
        if (parts_.owners == nullptr || !ownerDelivers(route) || parts_.owners->owns(owner)) {
            return {};
        }
        if (std::ranges::find(owners, owner) == owners.end()) {
            owners.emplace_back(owner);
        }
    }
    return owners;
}

/// The first of them that lives serves the mailbox; when none does the attempt is ours, and fails.
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
        tellsOwner_ = settings_.tellsOwners;
        return endUnsent(now() + kHandedOver);
    }
    claim();  // of a mailbox that is due the next attempt must move on
}

void DeliveryRun::claim()
{
    if (!waiting_.empty()) {
        offerOrPostpone();
        return reportClaimed();
    }
    // Who is not reached from here needs but one message, to carry the next attempt.
    const bool one = routes_.empty() || !owner_.empty();
    const auto grant = limits_.memory.grant(one ? 1 : settings_.batch);
    ++pendingStoreCalls_;
    source_->claim(
        grant.messages, grant.recordBytes,
        guarded([this, reserved = grant.reserved](Result<std::vector<ClaimedJob>> batch) {
            limits_.memory.release(reserved);
            --pendingStoreCalls_;
            if (!batch) {
                log::warning("sip", "no delivery to {}: {}", recipient_, batch.error().message);
            }
            handleBatch(batch ? std::move(*batch) : std::vector<ClaimedJob>{});
            reportClaimed();
        }));
}

void DeliveryRun::handleBatch(std::vector<ClaimedJob> batch)
{
    tellsOwner_ = !owner_.empty() && !over_ && !stopped_ && !batch.empty();
    over_ = over_ || batch.empty() || tellsOwner_;
    adopt(std::move(batch));
    if (over_) {
        // Of a batch that came after stop(), or for the owner, who can claim it then.
        requeue(tellsOwner_ ? now() + kHandedOver : now());
        return endIfOver();
    }
    offerOrPostpone();
}

/// With what is in hand.
void DeliveryRun::offerOrPostpone()
{
    planTouches();
    if (routes_.empty()) {
        postponeWithoutDevice();
    } else {
        advance();
    }
}

/// Before anything was sent: what was claimed already is tried again at `next`.
void DeliveryRun::endUnsent(TimePoint next)
{
    over_ = true;
    requeue(next);
    endIfOver();
}

void DeliveryRun::advance()
{
    if (stopped_ && !over_ && sent_.empty()) {
        over_ = true;
        requeue(now());
    }
    sendNext();
    // The store gives out nothing while one of the mailbox's messages is leased.
    if (!over_ && !stopped_ && waiting_.empty() && sent_.empty() && pendingStoreCalls_ == 0) {
        // What comes behind the last message is told to us by whoever stores it, or finds the
        // mailbox free.
        over_ = claimsNoMore_ || messagesLeft_ == MessagesLeft{0};
        over_ ? endIfOver() : claim();
    }
    endIfOver();
}

/// As many as the window lets.
void DeliveryRun::sendNext()
{
    while (!over_ && !stopped_ && skipUnsendable() && sent_.size() < settings_.window &&
           mayOffer() && !waitsForRate()) {
        waiting_.front().device = device_;
        sent_.splice(sent_.end(), waiting_, waiting_.begin());
        send(sent_.back());
    }
}

bool DeliveryRun::mayOffer() const
{
    return pendingStoreCalls_ < settings_.unconfirmed && repeatedMoves_ == 0 && leaseChecks_ == 0;
}

/// Buries expired messages at the front. True when the next one can be sent; a lost lease ends the
/// run, because what is behind would overtake it.
bool DeliveryRun::skipUnsendable()
{
    while (!over_ && !waiting_.empty()) {
        const auto& first = waiting_.front().claimed;
        if (first.job.expires && *first.job.expires <= now()) {
            record(leaseOf(first), {Fate::Expired});
            extract(waiting_, waiting_.begin());
            continue;
        }
        if (leaseStands(waiting_.front())) {
            return true;
        }
        if (!sent_.empty()) {
            return false;
        }
        extract(waiting_, waiting_.begin());
        over_ = true;
        requeue(now());
    }
    return false;
}

/// It is ours no longer, nor is its memory.
ClaimedJob DeliveryRun::extract(Messages& from, Messages::iterator which)
{
    limits_.memory.release(which->cost);
    auto claimed = std::move(which->claimed);
    from.erase(which);
    return claimed;
}

DeliveryRun::Messages::iterator DeliveryRun::underWay(const std::string& id)
{
    return std::ranges::find_if(sent_,
                                [&](const auto& message) { return message.claimed.job.id == id; });
}

/// Whether the next message has to wait for its rate. Reserves its slot; when it has to wait, the
/// timer goes on with it then.
bool DeliveryRun::waitsForRate()
{
    const auto at = now();
    reservedSlot_ = reservedSlot_ ? reservedSlot_ : limits_.pace.reserve(at);
    const auto earliest = std::max(*reservedSlot_, limits_.pace.next(recipient_));
    if (earliest <= at) {
        reservedSlot_.reset();
        limits_.pace.sent(recipient_, at);
        return false;
    }
    rateTimer_.arm(earliest - at, guarded([this] { advance(); }));
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
    const auto found = underWay(id);
    const auto verdict = settings_.policy.judge(answer);
    found->attemptRecords += answer.attemptRecords;
    const auto lease = leaseOf(*found);
    if (verdict == Verdict::Retry || verdict == Verdict::Hold) {
        // Another message may have found out before that this device is away. One that came here
        // because a device before has refused it says nothing of that one.
        if (found->device <= device_) {
            device_ = std::max(device_, found->device + 1);
        }
        const auto next = std::max(device_, found->device + 1);
        onlyRegisterHelps_ = onlyRegisterHelps_ && verdict == Verdict::Hold;
        if (!stopped_ && !over_ && leaseStands(*found) && next < routes_.size()) {
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
        if (parts_.deferredResponses != nullptr) {
            parts_.deferredResponses->taken(id, answer);
        }
        finish(job, lease);
    } else {
        log::info("sip", "message {} to {} is dead: {}", id, recipient_, answer.print());
        const auto reason =
            relayRefusal(id, answer) ? relayedRefusalReason(answer) : refusalBy(answer);
        record(lease, {Fate::Refused, reason});
    }
    advance();
}

/// Whether the sender waits for it and has it now. Before the message is buried: then what is
/// remembered of it is true, and a crash in between costs an offer more.
bool DeliveryRun::relayRefusal(const std::string& id, const DeviceAnswer& answer)
{
    return parts_.deferredResponses != nullptr && source_->refusalIsFinal() &&
           parts_.deferredResponses->refused(id, answer);
}

/// What one device refuses another may take, unless the first has spoken for its user (6xx). True
/// when the message has gone to another, or waits for one that is away.
bool DeliveryRun::offerToOtherDevices(LeasedMessage& message, const DeviceAnswer& answer)
{
    if (answer.status >= 600) {
        return false;
    }
    const auto next = std::max(message.device + 1, device_);
    if (!stopped_ && !over_ && leaseStands(message) && next < routes_.size()) {
        onlyRegisterHelps_ = false;
        message.device = next;
        message.refused = true;
        send(message);
        return true;
    }
    // Those before device_ have not been reached in this run, and those behind `next` not asked.
    if (device_ == 0 && next >= routes_.size()) {
        return false;
    }
    postponeForOtherDevices(message, answer);
    return true;
}

/// One device has refused it, others are away: it waits for those, and what is behind it does not.
void DeliveryRun::postponeForOtherDevices(LeasedMessage& message, const DeviceAnswer& answer)
{
    onlyRegisterHelps_ = false;
    claimsNoMore_ = true;
    const auto lease = leaseOf(message);
    const auto job = extract(sent_, underWay(message.claimed.job.id));
    const auto planned = parts_.queue.nextAttempt(job.job, job.counted());
    const auto next = planned.value_or(now() + kPauseAfterDeadMessage);
    result_.postponedUntil = std::max(next, result_.postponedUntil.value_or(next));
    record(lease,
           {Fate::Unreachable, answer.print(), planned ? std::optional{next} : std::nullopt});
    advance();
}

/// A sender who asked for it is told first: after a crash in between both are repeated.
void DeliveryRun::finish(const ClaimedJob& claimed, const Lease& lease)
{
    auto* reports = parts_.reports;
    if (reports == nullptr || !reports->concerns(claimed.job, Disposition::Delivered)) {
        return record(lease, {Fate::Delivered});
    }
    runUntilStored([this, reports, job = claimed.job, lease](Done<MessagesLeft> done) {
        reports->reportDelivered(job, guarded([this, lease, done](const Result<void>& told) {
                                     told ? source_->record(lease, {Fate::Delivered}, done)
                                          : done(tl::unexpected(told.error()));
                                 }));
    });
}

void DeliveryRun::record(const Lease& lease, MessageFate fate)
{
    runUntilStored([this, lease, fate = std::move(fate)](Done<MessagesLeft> done) {
        source_->record(lease, fate, std::move(done));
    });
}

/// This one has failed on every device.
void DeliveryRun::postpone(const ClaimedJob& job, const Lease& lease, const DeviceAnswer& answer)
{
    log::debug("sip", "{} cannot be reached: {}", recipient_, answer.print());
    // On hold it is the REGISTER that opens the mailbox, and no schedule is used up.
    const auto planned = onlyRegisterHelps_ ? std::optional{now() + settings_.holdRetry}
                                            : parts_.queue.nextAttempt(job.job, job.counted());
    auto next = std::max(planned.value_or(now() + kPauseAfterDeadMessage),
                         momentAfter(parts_.queue.clock(), wantedPause(answer)));
    next = std::max(next, result_.postponedUntil.value_or(next));
    record(lease,
           {Fate::Unreachable, answer.print(), planned ? std::optional{next} : std::nullopt});
    over_ = true;
    result_.postponedUntil = next;
    requeue(next);
}

void DeliveryRun::postponeWithoutDevice()
{
    over_ = true;
    const auto next = now() + settings_.noDeviceRetry;
    result_.postponedUntil = next;
    requeue(next, kNoDevice);
    releaseIfRegistered();
}

/// Another daemon may have released the mailbox meanwhile, which our hold has undone.
void DeliveryRun::releaseIfRegistered()
{
    runUntilStored([this](Done<MessagesLeft> done) {
        parts_.bindings.lookup(
            canonicalAor(recipient_).value_or(recipient_), guarded([this, done](auto found) {
                if (!found) {
                    return done(tl::unexpected(found.error()));
                }
                // One that cannot be used, as we have seen, would have us look for ever.
                const bool usable = std::ranges::any_of(*found, [](const Binding& binding) {
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
            source_->record(*lease, {Fate::Untried, "", next}, std::move(done));
            lease->ends = ends;  // of a repetition: see Lease
        });
    }
}

/// Makes a move and repeats it while the store cannot take it, or the message would be delivered
/// again. Safe, because moves are fenced; one that does not count, by the lease's end.
void DeliveryRun::runUntilStored(Move move, Millis pause, Try which)
{
    ++pendingStoreCalls_;
    repeatedMoves_ += which == Try::Again ? 1 : 0;
    move(guarded([this, move, pause, which](const Result<MessagesLeft>& moved) {
        messagesLeft_ = moved.value_or(MessagesLeft{});
        if (!moved && isTemporary(moved.error().code)) {
            log::debug("sip", "{}: {}", recipient_, moved.error().message);
            repeatedMoves_ += which == Try::First ? 1 : 0;
            parts_.loop.armTimer(pause, guarded([this, move, pause] {
                                     --pendingStoreCalls_;
                                     --repeatedMoves_;
                                     runUntilStored(move, std::min(2 * pause, kLongestPauseOfStore),
                                                    Try::Again);
                                 }));
            return;
        }
        if (!moved) {
            // Somebody else has moved it meanwhile: an operator, or whoever reaped our lease.
            log::info("sip", "mailbox {}: {}", recipient_, moved.error().message);
        }
        --pendingStoreCalls_;
        repeatedMoves_ -= which == Try::Again ? 1 : 0;
        if (!moved || (which == Try::Again && repeatedMoves_ == 0)) {
            checkLeases();
        }
        advance();
    }));
}

/// Whether the leases of what waits still stand. Nothing is sent until all have answered.
void DeliveryRun::checkLeases()
{
    if (leaseChecks_ > 0 || over_) {
        return;
    }
    for (const auto& message : waiting_) {
        ++leaseChecks_;
        runUntilStored([this, lease = leaseOf(message)](Done<MessagesLeft> done) {
            source_->touch(lease, kKeptLease,
                           guarded([this, id = lease.id, done](const Result<TimePoint>& deadline) {
                               updateLease(id, deadline);
                               if (!deadline && isTemporary(deadline.error().code)) {
                                   return done(tl::unexpected(deadline.error()));
                               }
                               --leaseChecks_;
                               done(MessagesLeft{});  // what is not ours any more has been noted
                           }));
        });
    }
}

void DeliveryRun::planTouches()
{
    auto soonest = TimePoint::max();
    for (const auto* messages : {&waiting_, &sent_}) {
        for (const auto& one : *messages) {
            soonest = std::min(soonest, one.claimed.leaseEnds);
        }
    }
    // A third leaves room for a store that is away for a while.
    touchAt_ = soonest == TimePoint::max()
                   ? soonest
                   : now() + std::max((soonest - now()) / 3, kLeastPauseOfLeases);
}

void DeliveryRun::scheduleLeaseRenewal()
{
    if (now() < touchAt_) {
        return;
    }
    for (const auto* messages : {&waiting_, &sent_}) {
        for (const auto& one : *messages) {
            touch(one.claimed);
        }
    }
    planTouches();
}

void DeliveryRun::touch(const ClaimedJob& job)
{
    source_->touch(leaseOf(job), kKeptLease, guarded([this, id = job.job.id](const auto& deadline) {
                       updateLease(id, deadline);
                   }));
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
                one.claimed.leaseEnds = TimePoint{};  // not ours any more: see skipUnsendable()
            }
        }
    }
}

void DeliveryRun::endIfOver()
{
    if (!over_ || !sent_.empty() || pendingStoreCalls_ > 0 || !onEnded_) {
        return;
    }
    rateTimer_.cancel();
    reportClaimed();
    if (std::exchange(tellsOwner_, false)) {
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
