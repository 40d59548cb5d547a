#include "sipplugin/mailbox_flush.h"

#include "core/base/log.h"
#include "sipplugin/aor.h"

#include <algorithm>

namespace restante::sip {

namespace {

/// When a message with a retry of its own has used it up, the ones behind it are tried after this.
constexpr Millis kAfterADeath{60'000};

/// How long an absence is remembered: another daemon may take the REGISTER.
constexpr Millis kAbsenceKnown{5'000};

/// What is worked on stays ours for this long after the store was last reached.
constexpr Millis kKeptLease{60'000};
/// For leases that have lapsed while the store was away.
constexpr Millis kLeastPauseOfLeases{1'000};

/// Waits between repetitions of a move that the store could not take.
constexpr Millis kLongestPauseOfStore{1'000};

std::string refusalBy(const DeviceAnswer& answer)
{
    return "refused by the recipient: " + answer.print();
}

}  // namespace

MailboxFlush::MailboxFlush(Parts parts, const Settings& settings, std::string recipient)
    : parts_(parts),
      settings_(settings),
      recipient_(std::move(recipient)),
      leaseTimer_(parts.loop)
{
}

void MailboxFlush::start(Absence absence,
                         std::function<void()> claimed,
                         std::function<void(Outcome)> ended)
{
    absence_ = absence;
    claimed_ = std::move(claimed);
    ended_ = std::move(ended);
    if (settings_.proxy.empty()) {
        findDevices();
    } else {
        routes_ = {routeThroughProxy(recipient_, settings_.proxy)};
        claim();
    }
}

void MailboxFlush::stop()
{
    stopped_ = true;
    if (!sending_) {
        advance();
    }
}

void MailboxFlush::findDevices()
{
    parts_.bindings.lookup(canonicalAor(recipient_).value_or(recipient_),
                           guarded<Result<std::vector<Binding>>>([this](const auto& found) {
                               if (!found) {
                                   log::warning("sip", "no delivery to {}: {}", recipient_,
                                                found.error().message);
                                   over_ = true;
                                   return endIfOver();
                               }
                               takeDevices(*found);
                               if (routes_.empty() && absence_ == Absence::LeavesAlone) {
                                   over_ = true;
                                   outcome_.putOffUntil = now() + kAbsenceKnown;
                                   return endIfOver();
                               }
                               claim();
                           }));
}

void MailboxFlush::takeDevices(const std::vector<Binding>& bindings)
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

void MailboxFlush::claim()
{
    // Who cannot be reached needs but one message, to carry the next attempt.
    const std::uint32_t wanted = routes_.empty() ? 1 : settings_.batch;
    ++unsettled_;
    parts_.queue.store().claimMailbox(
        recipient_, wanted, guarded<Result<std::vector<ClaimedJob>>>([this](auto batch) {
            --unsettled_;
            if (!batch) {
                log::warning("sip", "no delivery to {}: {}", recipient_, batch.error().message);
            }
            takeBatch(batch ? std::move(*batch) : std::vector<ClaimedJob>{});
            reportClaimed();
        }));
}

void MailboxFlush::takeBatch(std::vector<ClaimedJob> batch)
{
    over_ = over_ || batch.empty();
    waiting_.assign(std::make_move_iterator(batch.begin()), std::make_move_iterator(batch.end()));
    if (over_) {
        giveBack(now());  // of a batch that came after stop()
        return endIfOver();
    }
    keepLeases();
    if (routes_.empty()) {
        putOffAbsent();
    } else {
        advance();
    }
}

void MailboxFlush::advance()
{
    if (stopped_ && !over_ && !sending_) {
        over_ = true;
        giveBack(now());
    }
    while (!over_ && !waiting_.empty() && !sending_ && !mayBeSent(waiting_.front())) {
        waiting_.pop_front();
    }
    if (over_ || sending_ || unsettled_ >= settings_.unconfirmed) {
        return endIfOver();
    }
    if (!waiting_.empty()) {
        send();
    } else if (unsettled_ == 0) {
        // The store gives out nothing while one of the mailbox's messages is leased.
        claim();
    }
}

/// What has expired is buried; what is no longer ours is left to whoever has it now.
bool MailboxFlush::mayBeSent(const ClaimedJob& job)
{
    if (job.job.expires && *job.job.expires <= now()) {
        settle([this, lease = leaseOf(job)](Done<void> done) {
            parts_.queue.bury(lease, "expired", std::move(done));
        });
        return false;
    }
    return job.leaseEnds > now();
}

void MailboxFlush::send()
{
    const auto& front = waiting_.front();
    sending_ = true;
    parts_.courier.send(wireMessageOf(front.job, front.attempt, settings_.ownAddress),
                        routes_[device_], guarded<DeviceAnswer>([this](const auto& answer) {
                            sending_ = false;
                            takeAnswer(answer);
                        }));
}

void MailboxFlush::takeAnswer(const DeviceAnswer& answer)
{
    const auto verdict = judge(answer);
    if (verdict == Verdict::Unreachable) {
        if (!stopped_ && ++device_ < routes_.size()) {
            return advance();  // the same message, to the next device
        }
        return putOff(answer);
    }
    const auto job = std::move(waiting_.front());
    const auto lease = leaseOf(job);
    waiting_.pop_front();
    if (verdict == Verdict::Delivered) {
        finish(job.job, lease);
    } else {
        log::info("sip", "message {} to {} is dead: {}", lease.id, recipient_, answer.print());
        settle([this, lease, reason = refusalBy(answer)](Done<void> done) {
            parts_.queue.bury(lease, reason, std::move(done));
        });
    }
    advance();
}

/// A sender who asked for it is told first: after a crash in between both are repeated.
void MailboxFlush::finish(const Job& job, const Lease& lease)
{
    auto* reports = parts_.reports;
    if (reports == nullptr || !reports->concerns(job, Disposition::Delivered)) {
        return settle(
            [this, lease](Done<void> done) { parts_.queue.finish(lease, std::move(done)); });
    }
    settle([this, reports, job, lease](Done<void> done) {
        reports->reportDelivered(job, guarded<Result<void>>([this, lease, done](const auto& told) {
                                     told ? parts_.queue.finish(lease, done) : done(told);
                                 }));
    });
}

/// The front has failed on every device.
void MailboxFlush::putOff(const DeviceAnswer& answer)
{
    const auto job = std::move(waiting_.front());
    waiting_.pop_front();
    log::debug("sip", "{} cannot be reached: {}", recipient_, answer.print());
    const auto planned = parts_.queue.nextAttempt(job.job, job.attempt);
    const auto next = std::max(planned.value_or(now() + kAfterADeath), now() + wantedPause(answer));
    settle([this, lease = leaseOf(job), error = answer.print(), next, planned](Done<void> done) {
        if (planned) {
            parts_.queue.store().hold({lease, next, error, true}, std::move(done));
        } else {
            parts_.queue.bury(lease, "attempts used up: " + error, std::move(done));
        }
    });
    over_ = true;
    outcome_.putOffUntil = next;
    giveBack(next);
    endIfOver();
}

void MailboxFlush::putOffAbsent()
{
    over_ = true;
    const auto next = now() + settings_.absence;
    outcome_.putOffUntil = next;
    giveBack(next);
    lookAgain();
}

/// A device may have registered with another daemon since we looked, whose release of the mailbox
/// our hold has put off again.
void MailboxFlush::lookAgain()
{
    settle([this](Done<void> done) {
        parts_.bindings.lookup(
            canonicalAor(recipient_).value_or(recipient_),
            guarded<Result<std::vector<Binding>>>([this, done](auto found) {
                if (!found) {
                    return done(tl::unexpected(found.error()));
                }
                if (found->empty()) {
                    return done({});
                }
                parts_.queue.store().releaseMailbox(
                    recipient_, [done](const auto& released) { done(released.map([](auto) {})); });
            }));
    });
}

void MailboxFlush::giveBack(TimePoint next)
{
    for (const auto& job : waiting_) {
        settle([this, lease = leaseOf(job), next](Done<void> done) {
            parts_.queue.store().hold({lease, next, "", false}, std::move(done));
        });
    }
    waiting_.clear();
}

/// Makes a move and repeats it while the store cannot take it: a message that is delivered but not
/// finished would be delivered again. Safe, because moves are fenced.
void MailboxFlush::settle(Move move, Millis pause)
{
    ++unsettled_;
    move(guarded<Result<void>>([this, move, pause](const auto& moved) {
        if (!moved && isTemporary(moved.error().code)) {
            log::debug("sip", "{}: {}", recipient_, moved.error().message);
            parts_.loop.armTimer(pause, guarded<>([this, move, pause] {
                                     --unsettled_;
                                     settle(move, std::min(2 * pause, kLongestPauseOfStore));
                                 }));
            return;
        }
        if (!moved) {
            // Somebody else has moved it meanwhile: an operator, or whoever reaped our lease.
            log::info("sip", "mailbox {}: {}", recipient_, moved.error().message);
        }
        --unsettled_;
        advance();
    }));
}

void MailboxFlush::keepLeases()
{
    const auto soonest = std::ranges::min_element(waiting_, {}, &ClaimedJob::leaseEnds);
    // A third leaves room for a store that is away for a while.
    const auto pause = std::max((soonest->leaseEnds - now()) / 3, kLeastPauseOfLeases);
    leaseTimer_.arm(pause, [this] {
        for (const auto& job : waiting_) {
            touch(job);
        }
        if (!waiting_.empty()) {
            keepLeases();
        }
    });
}

void MailboxFlush::touch(const ClaimedJob& job)
{
    parts_.queue.touch(
        leaseOf(job), kKeptLease,
        guarded<Result<TimePoint>>([this, id = job.job.id](auto deadline) {
            auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                      [&](const auto& other) { return other.job.id == id; });
            if (found != waiting_.end() && deadline) {
                found->leaseEnds = *deadline;
            } else if (found != waiting_.end() && !isTemporary(deadline.error().code)) {
                found->leaseEnds = TimePoint{};  // not ours any more: mayBeSent() drops it
            }
        }));
}

void MailboxFlush::endIfOver()
{
    if (!over_ || sending_ || unsettled_ > 0 || !ended_) {
        return;
    }
    leaseTimer_.cancel();
    reportClaimed();
    std::exchange(ended_, {})(outcome_);
}

void MailboxFlush::reportClaimed()
{
    if (auto claimed = std::exchange(claimed_, {})) {
        claimed();
    }
}

Lease MailboxFlush::leaseOf(const ClaimedJob& job) const
{
    return {job.job.id, job.attempt, recipient_};
}

}  // namespace restante::sip
