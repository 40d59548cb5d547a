#include "sipplugin/delivery/delivery_run.h"

#include "core/base/clock.h"
#include "core/base/log.h"
#include "sipplugin/message/aor.h"

#include <algorithm>

namespace restante::sip {

namespace {

/// When a message with a retry of its own has used it up, the ones behind it are tried after this.
constexpr Millis kAfterADeath{60'000};

/// How long an absence is remembered: another daemon may take the REGISTER.
constexpr Millis kNoDeviceKnown{5'000};

/// What is worked on stays ours for this long after the store was last reached.
constexpr Millis kKeptLease{60'000};
/// For leases that have lapsed while the store was away.
constexpr Millis kLeastPauseOfLeases{1'000};

/// A mailbox handed to another daemon is tried again after this in any case.
constexpr Millis kHandedOver{60'000};

/// Waits between repetitions of a move that the store could not take.
constexpr Millis kLongestPauseOfStore{1'000};

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
    for (const auto* held : {&waiting_, &sent_}) {
        for (const auto& one : *held) {
            limits_.memory.release(one.cost);
        }
    }
}

void DeliveryRun::start(NoDevice noDevice,
                        std::function<void()> claimed,
                        std::function<void(Outcome)> ended)
{
    noDevice_ = noDevice;
    claimed_ = std::move(claimed);
    ended_ = std::move(ended);
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
                over_ = true;
                return endIfOver();
            }
            handleDevices(*found);
            if (routes_.empty() && noDevice_ == NoDevice::LeaveAlone) {
                over_ = true;
                outcome_.postponedUntil = now() + kNoDeviceKnown;
                return endIfOver();
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
        const auto owner = ownerOf(route.flow);
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
    parts_.owners->isLiving(owner,
                            guarded([this, owner, others = std::move(owners)](const auto& living) {
                                living.value_or(false) ? handOver(owner) : askOwners(others);
                            }));
}

void DeliveryRun::handOver(const std::string& owner)
{
    owner_ = owner;
    if (noDevice_ == NoDevice::LeaveAlone) {
        over_ = true;
        tellsOwner_ = settings_.tellsOwners;
        return endIfOver();
    }
    claim();  // of a mailbox that is due the next attempt must move on
}

void DeliveryRun::claim()
{
    // Who is not reached from here needs but one message, to carry the next attempt.
    const bool one = routes_.empty() || !owner_.empty();
    const auto grant = limits_.memory.grant(one ? 1 : settings_.batch);
    ++unsettled_;
    source_->claim(
        grant.messages, grant.recordBytes,
        guarded([this, reserved = grant.reserved](Result<std::vector<ClaimedJob>> batch) {
            limits_.memory.release(reserved);
            --unsettled_;
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
    for (auto& claimed : batch) {
        const auto cost = limits_.memory.costOf(claimed);
        limits_.memory.acquire(cost);
        waiting_.push_back({std::move(claimed), cost});
    }
    if (over_) {
        // Of a batch that came after stop(), or for the owner, who can claim it then.
        requeue(tellsOwner_ ? now() + kHandedOver : now());
        return endIfOver();
    }
    keepLeases();
    if (routes_.empty()) {
        postponeWithoutDevice();
    } else {
        advance();
    }
}

void DeliveryRun::advance()
{
    if (stopped_ && !over_ && sent_.empty()) {
        over_ = true;
        requeue(now());
    }
    sendNext();
    // The store gives out nothing while one of the mailbox's messages is leased.
    if (!over_ && !stopped_ && waiting_.empty() && sent_.empty() && unsettled_ == 0) {
        over_ = lastBatch_;
        lastBatch_ ? endIfOver() : claim();
    }
    endIfOver();
}

/// As many as the window lets.
void DeliveryRun::sendNext()
{
    while (!over_ && !stopped_ && firstMayBeSent() && sent_.size() < settings_.window &&
           mayOffer() && !isPaced()) {
        auto next = std::move(waiting_.front());
        waiting_.pop_front();
        next.device = device_;
        sent_.push_back(std::move(next));
        send(sent_.back());
    }
}

bool DeliveryRun::mayOffer() const
{
    return unsettled_ < settings_.unconfirmed && repeated_ == 0 && asked_ == 0;
}

/// Whether there is a first one and it is ours to send. What has expired is buried. What is no
/// longer ours is left to others, and what is behind it with it: from here it would overtake.
bool DeliveryRun::firstMayBeSent()
{
    while (!over_ && !waiting_.empty()) {
        const auto& first = waiting_.front().claimed;
        if (first.job.expires && *first.job.expires <= now()) {
            settle([this, lease = leaseOf(first)](Done<void> done) {
                source_->expired(lease, std::move(done));
            });
            extract(waiting_, waiting_.begin());
            continue;
        }
        if (isOurs(waiting_.front())) {
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
ClaimedJob DeliveryRun::extract(std::deque<Held>& from, std::deque<Held>::iterator which)
{
    limits_.memory.release(which->cost);
    auto claimed = std::move(which->claimed);
    from.erase(which);
    return claimed;
}

std::deque<DeliveryRun::Held>::iterator DeliveryRun::underWay(const std::string& id)
{
    return std::ranges::find_if(sent_, [&](const auto& held) { return held.claimed.job.id == id; });
}

/// Whether the next message has to wait for its time; then it is looked at again when that comes.
bool DeliveryRun::isPaced()
{
    const auto at = now();
    place_ = place_ ? place_ : limits_.pace.reserve(at);
    const auto earliest = std::max(*place_, limits_.pace.next(recipient_));
    if (earliest <= at) {
        place_.reset();
        limits_.pace.sent(recipient_, at);
        return false;
    }
    paceTimer_.arm(earliest - at, guarded([this] { advance(); }));
    return true;
}

void DeliveryRun::send(const Held& held)
{
    const auto& claimed = held.claimed;
    parts_.uac.send(
        outgoingMessageOf(claimed.job, claimed.attempt, settings_.ownAddress), routes_[held.device],
        guarded([this, id = claimed.job.id](const auto& answer) { handleAnswer(id, answer); }));
}

void DeliveryRun::handleAnswer(const std::string& id, const DeviceAnswer& answer)
{
    const auto found = underWay(id);
    const auto verdict = settings_.policy.judge(answer);
    found->ladder += answer.ladder;
    const auto lease = leaseOf(*found);
    if (verdict == Verdict::Retry || verdict == Verdict::Hold) {
        // Another message may have found out before that this device is away. One that came here
        // because a device before has refused it says nothing of that one.
        if (found->device <= device_) {
            device_ = std::max(device_, found->device + 1);
        }
        const auto next = std::max(device_, found->device + 1);
        awaited_ = awaited_ && verdict == Verdict::Hold;
        if (!stopped_ && !over_ && isOurs(*found) && next < routes_.size()) {
            found->device = next;
            return send(*found);  // the same message, to the next device
        }
        awaited_ = awaited_ && next == routes_.size();
        if (found->refused) {
            return leaveForOthers(*found, answer);
        }
        postpone(extract(sent_, found), lease, answer);
        return advance();
    }
    if (verdict == Verdict::Dead && refusedHere(*found, answer)) {
        return;
    }
    const auto job = extract(sent_, found);
    if (verdict == Verdict::Delivered) {
        if (parts_.live != nullptr) {
            parts_.live->taken(id, answer);
        }
        finish(job, lease);
    } else {
        log::info("sip", "message {} to {} is dead: {}", id, recipient_, answer.print());
        const auto reason = tellsRefusal(id, answer) ? reasonToldLive(answer) : refusalBy(answer);
        settle([this, lease, reason](Done<void> done) {
            source_->refused(lease, reason, std::move(done));
        });
    }
    advance();
}

/// Whether the sender waits for it and has it now. Before the message is buried: then what is
/// remembered of it is true, and a crash in between costs an offer more.
bool DeliveryRun::tellsRefusal(const std::string& id, const DeviceAnswer& answer)
{
    return parts_.live != nullptr && source_->endsWhatIsRefused() &&
           parts_.live->refused(id, answer);
}

/// What one device refuses another may take, unless the first has spoken for its user (6xx). True
/// when the message has gone to another, or waits for one that is away.
bool DeliveryRun::refusedHere(Held& held, const DeviceAnswer& answer)
{
    if (answer.status >= 600) {
        return false;
    }
    const auto next = std::max(held.device + 1, device_);
    if (!stopped_ && !over_ && isOurs(held) && next < routes_.size()) {
        awaited_ = false;
        held.device = next;
        held.refused = true;
        send(held);
        return true;
    }
    // Those before device_ have not been reached in this run, and those behind `next` not asked.
    if (device_ == 0 && next >= routes_.size()) {
        return false;
    }
    leaveForOthers(held, answer);
    return true;
}

/// One device has refused it, others are away: it waits for those, and what is behind it does not.
void DeliveryRun::leaveForOthers(Held& held, const DeviceAnswer& answer)
{
    awaited_ = false;
    lastBatch_ = true;
    const auto lease = leaseOf(held);
    const auto job = extract(sent_, underWay(held.claimed.job.id));
    const auto planned = parts_.queue.nextAttempt(job.job, job.counted());
    const auto next = planned.value_or(now() + kAfterADeath);
    outcome_.postponedUntil = std::max(next, outcome_.postponedUntil.value_or(next));
    settleUnreachable(lease, answer, planned ? std::optional{next} : std::nullopt);
    advance();
}

/// A sender who asked for it is told first: after a crash in between both are repeated.
void DeliveryRun::finish(const ClaimedJob& claimed, const Lease& lease)
{
    auto* reports = parts_.reports;
    if (reports == nullptr || !reports->concerns(claimed.job, Disposition::Delivered)) {
        return settle(
            [this, lease](Done<void> done) { source_->delivered(lease, std::move(done)); });
    }
    settle([this, reports, job = claimed.job, lease](Done<void> done) {
        reports->reportDelivered(job, guarded([this, lease, done](const auto& told) {
                                     told ? source_->delivered(lease, done) : done(told);
                                 }));
    });
}

void DeliveryRun::settleUnreachable(const Lease& lease,
                                    const DeviceAnswer& answer,
                                    std::optional<TimePoint> next)
{
    settle([this, lease, error = answer.print(), next](Done<void> done) {
        source_->unreachable(lease, error, next, std::move(done));
    });
}

/// This one has failed on every device.
void DeliveryRun::postpone(const ClaimedJob& job, const Lease& lease, const DeviceAnswer& answer)
{
    log::debug("sip", "{} cannot be reached: {}", recipient_, answer.print());
    // On hold it is the REGISTER that opens the mailbox, and no schedule is used up.
    const auto planned = awaited_ ? std::optional{now() + settings_.holdRetry}
                                  : parts_.queue.nextAttempt(job.job, job.counted());
    auto next = std::max(planned.value_or(now() + kAfterADeath),
                         momentAfter(parts_.queue.clock(), wantedPause(answer)));
    next = std::max(next, outcome_.postponedUntil.value_or(next));
    settleUnreachable(lease, answer, planned ? std::optional{next} : std::nullopt);
    over_ = true;
    outcome_.postponedUntil = next;
    requeue(next);
}

void DeliveryRun::postponeWithoutDevice()
{
    over_ = true;
    const auto next = now() + settings_.noDeviceRetry;
    outcome_.postponedUntil = next;
    requeue(next);
    lookUpAgain();
}

/// Another daemon may have released the mailbox meanwhile, which our hold has undone.
void DeliveryRun::lookUpAgain()
{
    settle([this](Done<void> done) {
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
                    return done({});
                }
                parts_.queue.store().releaseMailbox(
                    recipient_, [done](const auto& released) { done(released.map([](auto) {})); });
            }));
    });
}

void DeliveryRun::requeue(TimePoint next)
{
    while (!waiting_.empty()) {
        const auto claimed = extract(waiting_, waiting_.begin());
        auto lease = std::make_shared<Lease>(leaseOf(claimed));
        settle([this, lease, ends = claimed.leaseEnds, next](Done<void> done) {
            source_->untried(*lease, next, std::move(done));
            lease->ends = ends;  // of a repetition: see Lease
        });
    }
}

/// Makes a move and repeats it while the store cannot take it, or the message would be delivered
/// again. Safe, because moves are fenced; one that does not count, by the lease's end.
void DeliveryRun::settle(Move move, Millis pause, Try which)
{
    ++unsettled_;
    repeated_ += which == Try::Again ? 1 : 0;
    move(guarded([this, move, pause, which](const auto& moved) {
        if (!moved && isTemporary(moved.error().code)) {
            log::debug("sip", "{}: {}", recipient_, moved.error().message);
            repeated_ += which == Try::First ? 1 : 0;
            parts_.loop.armTimer(pause, guarded([this, move, pause] {
                                     --unsettled_;
                                     --repeated_;
                                     settle(move, std::min(2 * pause, kLongestPauseOfStore),
                                            Try::Again);
                                 }));
            return;
        }
        if (!moved) {
            // Somebody else has moved it meanwhile: an operator, or whoever reaped our lease.
            log::info("sip", "mailbox {}: {}", recipient_, moved.error().message);
        }
        --unsettled_;
        repeated_ -= which == Try::Again ? 1 : 0;
        if (!moved || (which == Try::Again && repeated_ == 0)) {
            askWhatIsOurs();
        }
        advance();
    }));
}

/// Whether the leases of what waits still stand. Nothing is sent until all have answered.
void DeliveryRun::askWhatIsOurs()
{
    if (asked_ > 0 || over_) {
        return;
    }
    for (const auto& held : waiting_) {
        ++asked_;
        settle([this, lease = leaseOf(held)](Done<void> done) {
            source_->touch(lease, kKeptLease,
                           guarded([this, id = lease.id, done](const Result<TimePoint>& deadline) {
                               noteLease(id, deadline);
                               if (!deadline && isTemporary(deadline.error().code)) {
                                   return done(tl::unexpected(deadline.error()));
                               }
                               --asked_;
                               done({});  // what is not ours any more has been noted
                           }));
        });
    }
}

void DeliveryRun::keepLeases()
{
    auto soonest = TimePoint::max();
    for (const auto* held : {&waiting_, &sent_}) {
        for (const auto& one : *held) {
            soonest = std::min(soonest, one.claimed.leaseEnds);
        }
    }
    // A third leaves room for a store that is away for a while.
    const auto pause = std::max((soonest - now()) / 3, kLeastPauseOfLeases);
    leaseTimer_.arm(pause, [this] {
        for (const auto* held : {&waiting_, &sent_}) {
            for (const auto& one : *held) {
                touch(one.claimed);
            }
        }
        if (!waiting_.empty() || !sent_.empty()) {
            keepLeases();
        }
    });
}

void DeliveryRun::touch(const ClaimedJob& job)
{
    source_->touch(leaseOf(job), kKeptLease, guarded([this, id = job.job.id](const auto& deadline) {
                       noteLease(id, deadline);
                   }));
}

void DeliveryRun::noteLease(const std::string& id, const Result<TimePoint>& deadline)
{
    for (auto* held : {&waiting_, &sent_}) {
        for (auto& one : *held) {
            if (one.claimed.job.id != id) {
                continue;
            }
            if (deadline) {
                one.claimed.leaseEnds = *deadline;
            } else if (!isTemporary(deadline.error().code)) {
                one.claimed.leaseEnds = TimePoint{};  // not ours any more: see firstMayBeSent()
            }
        }
    }
}

void DeliveryRun::endIfOver()
{
    if (!over_ || !sent_.empty() || unsettled_ > 0 || !ended_) {
        return;
    }
    leaseTimer_.cancel();
    paceTimer_.cancel();
    reportClaimed();
    if (std::exchange(tellsOwner_, false)) {
        parts_.owners->tell(owner_, {recipient_, noDevice_ == NoDevice::Postpone});
    }
    std::exchange(ended_, {})(outcome_);
}

Lease DeliveryRun::leaseOf(const Held& held) const
{
    auto lease = leaseOf(held.claimed);
    lease.note = held.ladder;
    return lease;
}

void DeliveryRun::reportClaimed()
{
    if (auto claimed = std::exchange(claimed_, {})) {
        claimed();
    }
}

}  // namespace restante::sip
