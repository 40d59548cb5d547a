#include "core/queue/delay_queue.h"

#include "core/base/async_task.h"
#include "core/base/clock.h"
#include "core/base/duration.h"
#include "core/base/log.h"
#include "core/queue/attempt_forecast.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <random>
#include <set>
#include <string>

namespace restante {

namespace {

constexpr std::string_view kLapsedReason = "the lease ended before the attempt did";
/// Spreads the retries of many; quality does not matter, so no system call.
double jitter()
{
    thread_local std::minstd_rand engine{std::random_device{}()};
    return std::uniform_real_distribution<double>{0.0, 1.0}(engine);
}

/// What becomes of one batch of lapsed leases.
struct ReapBatch {
    Result<std::uint32_t> reaped{0U};
    std::set<std::string> refusedIds;
};

}  // namespace

DelayQueue::DelayQueue(JobStore& store, const Clock& clock, Settings settings)
    : store_(store),
      clock_(clock),
      settings_(std::move(settings)),
      ids_(clock)
{
    assert(settings_.shards >= 1);
}

void DelayQueue::push(PushOptions push, InlineDone<PushOutcome> done)
{
    auto request = makeRequest(std::move(push));
    if (!request) {
        return done(tl::unexpected(std::move(request.error())));
    }
    store_.push(std::move(*request), std::move(done));
}

Result<PushRequest> DelayQueue::makeRequest(PushOptions push)
{
    if (auto allowed = checkSipRules(push); !allowed) {
        return tl::unexpected(std::move(allowed.error()));
    }
    auto& job = push.job;
    if (job.id.empty()) {
        job.id = ids_.generate(chooseShard(push));
    }
    const auto wait = firstWait(job);
    // Read once, so that the due time is exactly the delay after the creation.
    const bool waits = !push.at && push.delay + wait > Millis{0};
    const auto now = waits ? latestOf(clock_) : clock_.now();
    if (job.created == TimePoint{}) {
        job.created = now;
    }
    const auto due = push.at.value_or(now + push.delay) + wait;
    return validate(job, settings_.limits)
        .and_then([&] { return checkDue(push, due); })
        .and_then([&] { return settings_.checkJob ? settings_.checkJob(job) : Result<void>{}; })
        .map([&] {
            // The key of a forwarded message is its Call-ID; an index of those would cost every
            // message. A job that is stored again, in a mailbox, stays in the index.
            job.findByKey =
                !job.bizKey.empty() && (push.placement == Placement::Lane || job.findByKey);
            return PushRequest{.job = std::move(job),
                               .due = due,
                               .placement = push.placement,
                               .replace = push.replace,
                               .renew = push.renew,
                               .onceKey = std::move(push.onceKey),
                               .onceFor = push.onceFor,
                               .mailboxLimit = push.mailboxLimit,
                               .mailboxBytes = push.mailboxBytes,
                               .heldLimit = push.heldLimit,
                               .heldBytes = push.heldBytes,
                               .makeRoom = push.makeRoom,
                               .actor = std::move(push.actor),
                               .reason = std::move(push.reason)};
        });
}

Result<void> DelayQueue::checkSipRules(const PushOptions& push) const
{
    const auto& job = push.job;
    if (push.placement == Placement::Mailbox && !hasMailbox(job)) {
        return invalidField("placement", "only a sip job with a recipient has a mailbox");
    }
    const bool cameBySip = push.cameBySip || push.placement == Placement::Mailbox;
    const auto senderHeader = std::ranges::find_if(
        job.headers, [](const auto& line) { return isSenderHeader(line.first); });
    if (job.channel == Channel::Sip && !cameBySip && senderHeader != job.headers.end()) {
        return invalidField("headers",
                            "{} says who sent a message, and belongs to those that come by "
                            "SIP; name the sender instead",
                            senderHeader->first);
    }
    if (hasMailbox(job) && !job.id.empty() &&
        shardOfId(job.id, settings_.shards) != shardOfMailbox(job.recipient, settings_.shards)) {
        return invalidField("id",
                            "{} belongs to another shard than the mailbox of {}; leave the id of a "
                            "sip job empty and find it by its biz_key",
                            job.id.substr(0, 128), job.recipient);
    }
    return {};
}

Result<void> DelayQueue::checkDue(const PushOptions& push, TimePoint due) const
{
    if (push.delay < Millis{0} || due < TimePoint{}) {
        return invalidField("due", "delay is not negative, and at not before 1970");
    }
    if (due - clock_.now() > settings_.limits.horizon) {
        return invalidField("due", "is at most {} ahead", formatDuration(settings_.limits.horizon));
    }
    if (push.placement == Placement::Lane && push.job.expires && *push.job.expires <= due) {
        return invalidField("expires", "is later than due, or the job could never be delivered");
    }
    return {};
}

std::uint32_t DelayQueue::chooseShard(const PushOptions& push)
{
    if (hasMailbox(push.job)) {
        return shardOfMailbox(push.job.recipient, settings_.shards);
    }
    if (!push.onceKey.empty()) {
        // A shard remembers its own keys, so the same key must find the same shard.
        return shardOfId(push.onceKey, settings_.shards);
    }
    return nextShard_++ % settings_.shards;
}

std::optional<Millis> DelayQueue::waitBefore(const Job& job, std::uint32_t attempt) const
{
    return restante::waitBefore(settings_, job, attempt, jitter());
}

void DelayQueue::fail(
    const ClaimedJob& job, std::string error, Done<void> done, Millis notBefore, std::string note)
{
    auto lease = leaseOf(job);
    lease.note = std::move(note);
    const auto next = nextAttempt(job.job, job.countedAttempts());
    if (!next) {
        return store_.bury(std::move(lease), std::move(error), std::move(done));
    }
    const auto due = std::max(*next, momentAfter(clock_, notBefore));
    if (hasMailbox(job.job)) {
        return store_.hold(
            {.lease = std::move(lease), .nextAttempt = due, .error = std::move(error)},
            std::move(done));
    }
    store_.retry({.lease = std::move(lease), .due = due, .error = std::move(error)},
                 std::move(done));
}

void DelayQueue::requeue(Lease lease, TimePoint due, Done<void> done, std::string why)
{
    store_.retry({.lease = std::move(lease), .due = due, .error = std::move(why), .counted = false},
                 std::move(done));
}

void DelayQueue::hold(Lease lease, Done<void> done)
{
    lease.recipient.clear();
    store_.hold({.lease = std::move(lease)}, std::move(done));
}

void DelayQueue::reapLapsed(std::uint32_t max, Done<std::uint32_t> done)
{
    // The oldest come first: those that stay would else be all that is ever looked at.
    const auto stuck = static_cast<std::uint32_t>(unreapable_->size());
    store_.lapsed(
        max + stuck, onSuccess(done, [this, done](const std::vector<ClaimedJob>& lapsed) {
            if (lapsed.empty()) {
                unreapable_->clear();
                return done(0U);
            }
            const auto batch = std::make_shared<ReapBatch>();
            const auto countAnswer =
                countDown(lapsed.size(), [batch, unreapable = unreapable_, done] {
                    *unreapable = std::move(batch->refusedIds);
                    done(batch->reaped);
                });
            for (const auto& one : lapsed) {
                store_.reap(verdictOn(one), [id = one.job.id, batch, unreapable = unreapable_,
                                             countAnswer](const Result<void>& result) {
                    if (result) {
                        batch->reaped = batch->reaped.map([](std::uint32_t n) { return n + 1; });
                    } else if (isTemporary(result.error().code)) {
                        batch->reaped = tl::unexpected(result.error());
                        if (unreapable->contains(id)) {
                            batch->refusedIds.insert(id);  // it may still be so
                        }
                    } else if (!hasMovedOn(result.error().code)) {
                        batch->refusedIds.insert(id);
                        if (!unreapable->contains(id)) {
                            log::warning("schedule", "the lapsed lease of job {} is not reaped: {}",
                                         id, result.error().message);
                        }
                    }
                    // Moved on: its worker has ended the attempt after all.
                    countAnswer();
                });
            }
        }));
}

ReapVerdict DelayQueue::verdictOn(const ClaimedJob& lapsed) const
{
    ReapVerdict verdict{.lease = leaseOf(lapsed), .reason = std::string{kLapsedReason}};
    const auto next = nextAttempt(lapsed.job, lapsed.countedAttempts());
    if (!next) {
        verdict.action = ReapVerdict::Action::Dead;
        return verdict;
    }
    // The process that delivered the message has gone, which says nothing about the recipient: the
    // mailbox need not wait as after a failure.
    const bool isMessage = hasMailbox(lapsed.job);
    verdict.next = isMessage ? clock_.now() : *next;
    verdict.action = isMessage ? ReapVerdict::Action::Hold : ReapVerdict::Action::Retry;
    return verdict;
}

std::optional<TimePoint> DelayQueue::nextAttempt(const Job& job, std::uint32_t attempt) const
{
    const auto wait = waitBefore(job, attempt + 1);
    return wait ? std::optional{momentAfter(clock_, *wait)} : std::nullopt;
}

}  // namespace restante
