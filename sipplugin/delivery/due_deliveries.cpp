#include "sipplugin/delivery/due_deliveries.h"

#include "core/base/async_task.h"
#include "core/base/log.h"
#include "sipplugin/message/aor.h"

#include <chrono>
#include <set>
#include <string>
#include <utility>

namespace restante::sip {

namespace {

/// Jobs and mailboxes taken in one call.
constexpr std::uint32_t kBatch = 100;

/// The wait before asking again for a page of mailboxes that the store could not give.
constexpr Millis kPageRetryPause{1'000};

std::vector<std::string> idsOf(const std::vector<ClaimedJob>& jobs)
{
    std::vector<std::string> ids;
    ids.reserve(jobs.size());
    for (const auto& job : jobs) {
        ids.push_back(job.job.id);
    }
    return ids;
}

}  // namespace

DueDeliveries::DueDeliveries(DelayQueue& queue,
                             DueWatcher& due,
                             ScheduleMailbox schedule,
                             std::function<void(const std::vector<std::string>& ids)> onDue)
    : queue_(queue),
      schedule_(std::move(schedule)),
      onDue_(std::move(onDue))
{
    due.watch({.kind = DueSource::Kind::Lanes, .channel = Channel::Sip},
              [this, alive = callbackGuard_.watch()](std::function<void()> settled) {
                  alive.expired() ? settled() : handleJobs(std::move(settled));
              });
    due.watch({.kind = DueSource::Kind::Mailboxes},
              [this, alive = callbackGuard_.watch()](std::function<void()> settled) {
                  alive.expired() ? settled() : handleMailboxes(std::move(settled));
              });
}

void DueDeliveries::handleJobs(std::function<void()> settled)
{
    queue_.claim({Channel::Sip, {}, kBatch}, [this, settled, alive = callbackGuard_.watch()](
                                                 Result<std::vector<ClaimedJob>> jobs) {
        if (alive.expired() || !jobs || jobs->empty()) {
            return settled();
        }
        const auto onHandled = countDown(jobs->size(), [this, settled, alive] {
            alive.expired() ? settled() : handleJobs(settled);
        });
        if (onDue_) {
            onDue_(idsOf(*jobs));
        }
        for (const auto& job : *jobs) {
            handleJob(job, onHandled);
        }
    });
}

void DueDeliveries::handleJob(const ClaimedJob& job, std::function<void()> onHandled)
{
    const auto done = [id = job.job.id,
                       onHandled = std::move(onHandled)](const Result<void>& moved) {
        if (!moved) {
            log::warning("sip", "job {} is not in its mailbox: {}", id, moved.error().message);
        }
        onHandled();
    };
    const Lease lease{job.job.id, job.attempt, job.job.recipient};
    const auto aor = canonicalAor(job.job.recipient);
    if (!aor) {
        return queue_.bury(lease, "its recipient cannot be reached by SIP: " + aor.error().message,
                           done);
    }
    if (*aor != job.job.recipient) {
        return readdress(job, *aor, done);
    }
    queue_.store().hold({lease, queue_.clock().now(), "", false}, done);
}

/// The recipient is not a canonical AoR ("sip:Bob@HOST:5060"), so a registration would not find
/// that mailbox. Stores the job under the AoR, with the same id if the shard allows that.
void DueDeliveries::readdress(const ClaimedJob& job, const std::string& aor, Done<void> done)
{
    PushOptions push;
    push.job = job.job;
    push.job.recipient = aor;
    push.at = queue_.clock().now();
    push.placement = Placement::Mailbox;
    const auto shards = queue_.settings().shards;
    if (shardOfId(job.job.id, shards) == shardOfMailbox(aor, shards)) {
        push.replace = true;
        return queue_.push(std::move(push), [done](const Result<PushOutcome>& stored) {
            done(stored.map([](const PushOutcome&) {}));
        });
    }
    // In another shard it needs a new id. The key makes a repetition after a crash harmless.
    push.job.id.clear();
    push.onceKey = "readdressed " + job.job.id;
    push.onceFor = std::chrono::hours{24};
    queue_.push(std::move(push), [this, lease = leaseOf(job), done, alive = callbackGuard_.watch()](
                                     const Result<PushOutcome>& stored) {
        if (!stored || alive.expired()) {
            return done(stored.map([](const PushOutcome&) {}));
        }
        queue_.finish(lease, done);
    });
}

/// While the same mailboxes stay due, none is claimed: the store refuses writes, or we are
/// draining. The watcher then waits before it has them handled again.
void DueDeliveries::handleMailboxes(std::function<void()> settled,
                                    const std::vector<std::string>& previous)
{
    queue_.store().dueMailboxes(kBatch, [this, settled, previous, alive = callbackGuard_.watch()](
                                            const Result<std::vector<std::string>>& due) {
        if (alive.expired() || !due || due->empty() || *due == previous) {
            return settled();
        }
        const bool more = due->size() == kBatch;
        const auto onClaimed = countDown(due->size(), [this, settled, more, tried = *due, alive] {
            more && !alive.expired() ? handleMailboxes(settled, tried) : settled();
        });
        for (const auto& recipient : *due) {
            schedule_(recipient, DeliveryScheduler::Cause::Due, onClaimed);
        }
    });
}

void StartupMailboxPass::scan(const std::string& cursor)
{
    inspector_.list(
        {.state = JobState::Held, .channel = Channel::Sip, .cursor = cursor, .limit = kBatch},
        callbackGuard_.guard([this, cursor](const Result<JobPage>& page) {
            if (!page && isTemporary(page.error().code)) {
                loop_.armTimer(kPageRetryPause,
                               callbackGuard_.guard([this, cursor] { scan(cursor); }));
                return;
            }
            if (!page) {
                return log::warning("sip", "not every mailbox was looked at: {}",
                                    page.error().message);
            }
            schedulePage(*page);
        }));
}

void StartupMailboxPass::schedulePage(const JobPage& page)
{
    std::set<std::string> recipients;
    for (const auto& view : page.jobs) {
        recipients.insert(view.job.recipient);
    }
    const auto onClaimed =
        countDown(recipients.size(), callbackGuard_.guard([this, next = page.cursor] {
            if (!next.empty()) {
                scan(next);
            }
        }));
    for (const auto& recipient : recipients) {
        schedule_(recipient, DeliveryScheduler::Cause::Stored, onClaimed);
    }
}

}  // namespace restante::sip
