#include "core/redis/store/durable_job_store.h"

#include "core/job/job_id.h"

#include <utility>

namespace restante::redis {

DurableJobStore::DurableJobStore(EventLoop& loop,
                                 JobStore& store,
                                 Connection& commands,
                                 CommitWatch::Settings settings,
                                 Waits waits)
    : loop_(loop),
      store_(store),
      shards_(settings.shards),
      waits_(waits),
      journal_(std::make_shared<CommitWatch>(loop, commands, std::move(settings)))
{
}

DurableJobStore::~DurableJobStore() = default;

bool DurableJobStore::isDown() const
{
    for (std::uint32_t shard = 0; shard < shards_; ++shard) {
        if (journal_->isDown(shard)) {
            return true;
        }
    }
    return false;
}

std::uint32_t DurableJobStore::shardOf(const std::string& id) const
{
    return shardOfId(id, shards_);
}

/// Answers and is true when the journal of `shard` is down.
template <class T>
bool DurableJobStore::refused(std::uint32_t shard, Done<T>& done)
{
    if (!journal_->isDown(shard)) {
        return false;
    }
    loop_.post([done = std::move(done)] { done(CommitWatch::down()); });
    return true;
}

template <class T>
Done<T> DurableJobStore::onceCommitted(std::uint32_t shard, Done<T> done)
{
    return [weak = std::weak_ptr(journal_), shard, done = std::move(done)](Result<T> result) {
        if (!result) {
            return done(std::move(result));
        }
        const auto journal = weak.lock();
        if (!journal) {
            return done(CommitWatch::down());
        }
        journal->await(shard, [done, result = std::move(result)](const Result<void>& committed) {
            if (committed) {
                done(result);
            } else {
                done(tl::unexpected(committed.error()));
            }
        });
    };
}

void DurableJobStore::push(PushRequest request, Done<PushOutcome> done)
{
    const auto shard = shardOf(request.job.id);
    if (!refused(shard, done)) {
        store_.push(std::move(request), onceCommitted(shard, std::move(done)));
    }
}

// Nobody is told that something is stored, and deliveries go on while the database is down.

void DurableJobStore::claim(ClaimRequest request, Done<std::vector<ClaimedJob>> done)
{
    store_.claim(std::move(request), std::move(done));
}

void DurableJobStore::claimMailbox(MailboxClaim claim, Done<std::vector<ClaimedJob>> done)
{
    store_.claimMailbox(std::move(claim), std::move(done));
}

void DurableJobStore::lackingDevices(DeviceLook look, Done<std::vector<std::string>> done)
{
    store_.lackingDevices(std::move(look), std::move(done));
}

void DurableJobStore::claimForDevice(DeviceClaim claim, Done<DeviceBatch> done)
{
    store_.claimForDevice(std::move(claim), std::move(done));
}

void DurableJobStore::mark(DeviceMark mark, Done<TimePoint> done)
{
    store_.mark(std::move(mark), std::move(done));
}

// An attempt is over, whatever the journal says: done in any case, and confirmed where it can be.

Done<void> DurableJobStore::ended(const Lease& lease, Done<void> done)
{
    return waits_ == Waits::Everything ? onceCommitted(shardOf(lease.id), std::move(done))
                                       : std::move(done);
}

void DurableJobStore::finish(Lease lease, Done<void> done)
{
    auto answer = ended(lease, std::move(done));
    store_.finish(std::move(lease), std::move(answer));
}

void DurableJobStore::finishLate(Lease lease, Done<void> done)
{
    auto answer = ended(lease, std::move(done));
    store_.finishLate(std::move(lease), std::move(answer));
}

void DurableJobStore::retry(RetryRequest request, Done<void> done)
{
    auto answer = ended(request.lease, std::move(done));
    store_.retry(std::move(request), std::move(answer));
}

void DurableJobStore::touch(Lease lease, Millis ttr, Done<TimePoint> done)
{
    store_.touch(std::move(lease), ttr, std::move(done));
}

void DurableJobStore::bury(Lease lease, std::string reason, Done<void> done)
{
    auto answer = ended(lease, std::move(done));
    store_.bury(std::move(lease), std::move(reason), std::move(answer));
}

void DurableJobStore::hold(HoldRequest request, Done<void> done)
{
    auto answer = ended(request.lease, std::move(done));
    store_.hold(std::move(request), std::move(answer));
}

void DurableJobStore::move(void (JobStore::*verb)(OperatorAction, Done<void>),
                           OperatorAction action,
                           Done<void> done)
{
    if (waits_ == Waits::PushesOnly) {
        return (store_.*verb)(std::move(action), std::move(done));
    }
    const auto shard = shardOf(action.id);
    if (!refused(shard, done)) {
        (store_.*verb)(std::move(action), onceCommitted(shard, std::move(done)));
    }
}

void DurableJobStore::release(OperatorAction action, Done<void> done)
{
    move(&JobStore::release, std::move(action), std::move(done));
}

void DurableJobStore::runNow(OperatorAction action, Done<void> done)
{
    move(&JobStore::runNow, std::move(action), std::move(done));
}

void DurableJobStore::reschedule(OperatorAction action, NewTime time, Done<void> done)
{
    const auto shard = shardOf(action.id);
    if (waits_ == Waits::PushesOnly) {
        store_.reschedule(std::move(action), time, std::move(done));
    } else if (!refused(shard, done)) {
        store_.reschedule(std::move(action), time, onceCommitted(shard, std::move(done)));
    }
}

void DurableJobStore::trash(OperatorAction action, Done<void> done)
{
    move(&JobStore::trash, std::move(action), std::move(done));
}

void DurableJobStore::restore(OperatorAction action, Done<void> done)
{
    move(&JobStore::restore, std::move(action), std::move(done));
}

void DurableJobStore::purge(OperatorAction action, Done<void> done)
{
    move(&JobStore::purge, std::move(action), std::move(done));
}

void DurableJobStore::importJob(ImportRequest request, Done<PushOutcome> done)
{
    const auto shard = shardOf(request.view.job.id);
    if (!refused(shard, done)) {
        store_.importJob(std::move(request), onceCommitted(shard, std::move(done)));
    }
}

// The journal does not have the once keys.
void DurableJobStore::importOnce(OnceKey once, Done<PushOutcome> done)
{
    store_.importOnce(std::move(once), std::move(done));
}

// What nobody is told of as done needs no confirmation.

void DurableJobStore::releaseMailbox(std::string recipient, Done<std::uint64_t> done)
{
    store_.releaseMailbox(std::move(recipient), std::move(done));
}

void DurableJobStore::expire(std::uint32_t max, Done<std::vector<std::string>> done)
{
    store_.expire(max, std::move(done));
}

void DurableJobStore::lapsed(std::uint32_t max, Done<std::vector<LapsedLease>> done)
{
    store_.lapsed(max, std::move(done));
}

void DurableJobStore::reap(ReapVerdict verdict, Done<void> done)
{
    store_.reap(std::move(verdict), std::move(done));
}

void DurableJobStore::pauseTopic(TopicAction action, Done<void> done)
{
    store_.pauseTopic(std::move(action), std::move(done));
}

void DurableJobStore::resumeTopic(TopicAction action, Done<void> done)
{
    store_.resumeTopic(std::move(action), std::move(done));
}

void DurableJobStore::limitTopic(TopicAction action, TopicLimits limits, Done<void> done)
{
    store_.limitTopic(std::move(action), limits, std::move(done));
}

void DurableJobStore::dueMailboxes(std::uint32_t max, Done<std::vector<std::string>> done)
{
    store_.dueMailboxes(max, std::move(done));
}

void DurableJobStore::earliest(DueSource source, Done<std::optional<TimePoint>> done)
{
    store_.earliest(std::move(source), std::move(done));
}

void DurableJobStore::onWake(std::function<void(const Wake&)> handler)
{
    store_.onWake(std::move(handler));
}

}  // namespace restante::redis
