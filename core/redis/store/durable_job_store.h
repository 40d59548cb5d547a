#pragma once

#include "core/base/event_loop.h"
#include "core/queue/job_store.h"
#include "core/redis/store/commit_watch.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace restante::redis {

/// `journal.mode = "durable"`: a JobStore whose successes are told only after the journal has
/// committed what was done (docs/journal.md).
///
/// While the journal is known to be down, pushes and operators' moves are refused as Unavailable
/// before anything is done. Claims go on. What ends an attempt (finish, retry, bury, hold) is done
/// in any case, for the delivery has happened; it is answered with Unavailable when the journal
/// does not confirm it in time, and so is whatever was done when the journal went down. Such a call
/// may be repeated. What nobody was promised (expire, reap, a mailbox that is due, topics) waits
/// for nothing.
///
/// Borrows everything; the store must outlive it. *One loop.*
class DurableJobStore final : public JobStore {
public:
    /// Whose successes wait: everybody's, or only those of pushes, where nobody else is told.
    enum class Waits { PushesOnly, Everything };
    DurableJobStore(EventLoop& loop,
                    JobStore& store,
                    Connection& commands,
                    CommitWatch::Settings settings,
                    Waits waits);
    /// Who still waits is not answered any more.
    ~DurableJobStore() override;

    void push(PushRequest request, Done<PushOutcome> done) override;
    void claim(ClaimRequest request, Done<std::vector<ClaimedJob>> done) override;
    void claimMailbox(MailboxClaim claim, Done<std::vector<ClaimedJob>> done) override;
    void lackingDevices(DeviceLook look, Done<std::vector<std::string>> done) override;
    void claimForDevice(DeviceClaim claim, Done<DeviceBatch> done) override;
    void mark(DeviceMark mark, Done<TimePoint> done) override;
    void finish(Lease lease, Done<void> done) override;
    void finishLate(Lease lease, Done<void> done) override;
    void retry(RetryRequest request, Done<void> done) override;
    void touch(Lease lease, Millis ttr, Done<TimePoint> done) override;
    void bury(Lease lease, std::string reason, Done<void> done) override;
    void hold(HoldRequest request, Done<void> done) override;
    void release(OperatorAction action, Done<void> done) override;
    void releaseMailbox(std::string recipient, Done<std::uint64_t> done) override;
    void expire(std::uint32_t max, Done<std::vector<std::string>> done) override;
    void runNow(OperatorAction action, Done<void> done) override;
    void reschedule(OperatorAction action, NewTime time, Done<void> done) override;
    void trash(OperatorAction action, Done<void> done) override;
    void restore(OperatorAction action, Done<void> done) override;
    void purge(OperatorAction action, Done<void> done) override;
    void importJob(ImportRequest request, Done<PushOutcome> done) override;
    void importOnce(OnceKey once, Done<PushOutcome> done) override;
    void lapsed(std::uint32_t max, Done<std::vector<LapsedLease>> done) override;
    void reap(ReapVerdict verdict, Done<void> done) override;
    void pauseTopic(TopicAction action, Done<void> done) override;
    void resumeTopic(TopicAction action, Done<void> done) override;
    void limitTopic(TopicAction action, TopicLimits limits, Done<void> done) override;
    void dueMailboxes(std::uint32_t max, Done<std::vector<std::string>> done) override;
    void earliest(DueSource source, Done<std::optional<TimePoint>> done) override;
    void onWake(std::function<void(const Wake&)> handler) override;

    /// Whether pushes to any shard are refused, because the journal is down.
    bool isDown() const;

private:
    template <class T>
    bool refused(std::uint32_t shard, Done<T>& done);
    template <class T>
    Done<T> onceCommitted(std::uint32_t shard, Done<T> done);
    Done<void> ended(const Lease& lease, Done<void> done);
    std::uint32_t shardOf(const std::string& id) const;
    void move(void (JobStore::*verb)(OperatorAction, Done<void>),
              OperatorAction action,
              Done<void> done);

    EventLoop& loop_;
    JobStore& store_;
    std::uint32_t shards_;
    Waits waits_;
    /// Shared, so that answers of the store can see that it is gone.
    std::shared_ptr<CommitWatch> journal_;
};

}  // namespace restante::redis
