#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/cold/cold_jobs.h"
#include "core/queue/job_store.h"
#include "core/redis/store/lane_scores.h"
#include "core/redis/store/shard_queues.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace restante::cold {

/// The store in Redis, extended by the cold jobs in SQL: a push beyond the horizon goes into SQL, a
/// caller's own id is looked up in both, and a transition of a cold job first brings it into Redis
/// (docs/decisions/0042-cold-jobs.md). All other calls go to the store.
///
/// A push into SQL that succeeds is committed there. Unavailable: the database does not answer, or
/// the job has been moving for longer than three seconds; repeating is safe. Borrows everything.
/// *One loop.*
class TieredJobStore final : public JobStore {
public:
    struct Settings {
        Millis horizon{0};  ///< `queue.hot_horizon`; 0 = no push goes into SQL
        std::uint32_t shards = 1;
    };

    TieredJobStore(EventLoop& loop,
                   const Clock& clock,
                   JobStore& hot,
                   const redis::ShardQueues& scripts,
                   ColdJobs& cold,
                   Settings settings);

    void push(PushRequest request, Done<PushOutcome> done) override;
    void finish(Lease lease, Done<std::uint64_t> done) override;
    void finishLate(Lease lease, Done<void> done) override;
    void bury(Lease lease, std::string reason, Done<void> done) override;
    void hold(HoldRequest request, Done<void> done) override;
    void release(OperatorAction action, Done<void> done) override;
    void runNow(OperatorAction action, Done<void> done) override;
    void reschedule(OperatorAction action, NewTime time, Done<void> done) override;
    void trash(OperatorAction action, Done<void> done) override;
    void restore(OperatorAction action, Done<void> done) override;
    void purge(OperatorAction action, Done<void> done) override;
    void importJob(ImportRequest request, Done<PushOutcome> done) override;

    void claim(ClaimRequest request, Done<std::vector<ClaimedJob>> done) override
    {
        hot_.claim(std::move(request), std::move(done));
    }
    void claimMailbox(MailboxClaim claim, Done<std::vector<ClaimedJob>> done) override
    {
        hot_.claimMailbox(std::move(claim), std::move(done));
    }
    void lackingDevices(DeviceQuery query, Done<std::vector<std::string>> done) override
    {
        hot_.lackingDevices(std::move(query), std::move(done));
    }
    void claimForDevice(DeviceClaim claim, Done<DeviceBatch> done) override
    {
        hot_.claimForDevice(std::move(claim), std::move(done));
    }
    void mark(DeviceMark mark, Done<TimePoint> done) override
    {
        hot_.mark(std::move(mark), std::move(done));
    }
    void retry(RetryRequest request, Done<void> done) override
    {
        hot_.retry(std::move(request), std::move(done));
    }
    void touch(Lease lease, Millis ttr, Done<TimePoint> done) override
    {
        hot_.touch(std::move(lease), ttr, std::move(done));
    }
    void releaseMailbox(std::string recipient, Done<std::uint64_t> done) override
    {
        hot_.releaseMailbox(std::move(recipient), std::move(done));
    }
    void expire(std::uint32_t max, Done<std::vector<std::string>> done) override
    {
        hot_.expire(max, std::move(done));
    }
    void importOnce(OnceKey once, Done<PushOutcome> done) override
    {
        hot_.importOnce(std::move(once), std::move(done));
    }
    void lapsed(std::uint32_t max, Done<std::vector<ClaimedJob>> done) override
    {
        hot_.lapsed(max, std::move(done));
    }
    void reap(ReapVerdict verdict, Done<void> done) override
    {
        hot_.reap(std::move(verdict), std::move(done));
    }
    void pauseTopic(TopicAction action, Done<void> done) override;
    void resumeTopic(TopicAction action, Done<void> done) override;
    void limitTopic(TopicAction action, TopicLimits limits, Done<void> done) override;
    void dueMailboxes(std::uint32_t max, Done<std::vector<std::string>> done) override
    {
        hot_.dueMailboxes(max, std::move(done));
    }
    void earliest(DueSource source, Done<std::optional<TimePoint>> done) override
    {
        hot_.earliest(std::move(source), std::move(done));
    }
    void onWake(std::function<void(const Wake&)> handler) override
    {
        hot_.onWake(std::move(handler));
    }

private:
    /// A push with an id of the caller's own.
    struct OwnIdPush;
    using OwnIdPushPtr = std::shared_ptr<OwnIdPush>;

    bool goesToCold(const PushRequest& request) const;
    void insert(const PushRequest& request, Done<PushOutcome> done);
    ColdRow rowOf(const PushRequest& request);
    void reserve(const OwnIdPushPtr& push);
    void onReserveAnswer(const OwnIdPushPtr& push, const std::string& status);
    void insertOrFindRow(const OwnIdPushPtr& push);
    void compareWithRow(const OwnIdPushPtr& push, const ColdRow& row);
    void pushHot(const OwnIdPushPtr& push);
    void retryWhenMoved(const OwnIdPushPtr& push);
    void releaseReservation(const OwnIdPush& push);
    void retryLater(const OwnIdPushPtr& push);
    void finishPush(const OwnIdPushPtr& push, Result<PushOutcome> outcome);

    /// A transition of a job that is in Redis.
    template <class T>
    using HotTransition = std::function<void(Done<T>)>;
    /// Calls `transition`; when the job is not in Redis, brings it in and calls it once more.
    template <class T>
    void
    transitionHotOrCold(std::string id, HotTransition<T> transition, Done<T> done, int tries = 0);
    /// What became of moving a cold job into Redis.
    enum class EntryStatus {
        Entered,
        Absent,    ///< there is no row: only Redis can know the job
        Crossing,  ///< it is being moved by another caller
    };
    void moveToRedis(std::string id, Done<EntryStatus> done);
    void warm(const ColdRow& row, Done<EntryStatus> done);
    void importAfterEntry(const ImportRequest& request, Done<PushOutcome> done, int tries);

    EventLoop& loop_;
    const Clock& clock_;
    JobStore& hot_;
    const redis::ShardQueues& scripts_;
    ColdJobs& cold_;
    Settings settings_;
    redis::LaneScores laneScores_;
    std::uint64_t nextToken_ = 0;
    CallbackGuard guard_;
};

/// Whether this mark of a job (docs/decisions/0042-cold-jobs.md) says that it has come into Redis
/// since its row was claimed at `version`. An older Redis may bring back the mark of an earlier
/// move.
bool hasEntered(std::int64_t version, std::string_view mark);

/// Whether the state of a row that is crossing is outdated: Redis has the job, or it was there and
/// has ended (`entering`), or it was not moved after all (`leaving`).
void checkRowOutdated(const redis::ShardQueues& scripts, const ColdRow& row, Done<bool> done);

/// Moves the row, which the caller has claimed, into Redis by warm.lua. Yields its status word, or
/// the error.
void warmRow(const redis::ShardQueues& scripts, const ColdRow& row, Done<std::string> done);

}  // namespace restante::cold
