#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/cold/cold_jobs.h"
#include "core/queue/job_store.h"
#include "core/redis/store/arrival_order.h"
#include "core/redis/store/shard_queues.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace restante::cold {

/// The store in Redis with the cold jobs behind it: a push beyond the horizon goes into SQL, an id
/// of a caller's own is looked for on both sides, and what is done to a cold job first brings it
/// into Redis (docs/decisions/0042-cold-jobs.md). Everything else is the store's.
///
/// A success of such a push means committed in SQL. Unavailable: the database does not answer, or
/// the job is between the two for longer than three seconds; repeating is safe. Borrows all. *One
/// loop.*
class TieredJobStore final : public JobStore {
public:
    struct Settings {
        Millis horizon{0};  ///< `queue.hot_horizon`; 0 = nothing goes out any more
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
    struct OwnPush;
    using OwnPushPtr = std::shared_ptr<OwnPush>;

    bool goesOut(const PushRequest& request) const;
    void insert(const PushRequest& request, Done<PushOutcome> done);
    ColdRow rowOf(const PushRequest& request);
    void reserve(const OwnPushPtr& push);
    void reserved(const OwnPushPtr& push, const std::string& status);
    void lookInSql(const OwnPushPtr& push);
    void compare(const OwnPushPtr& push, const ColdRow& row);
    void pushHot(const OwnPushPtr& push);
    void again(const OwnPushPtr& push);
    void end(const OwnPushPtr& push, Result<PushOutcome> outcome);

    /// Does `move` in Redis; when the job is not there, brings it in and does it once more.
    template <class T>
    using Move = std::function<void(Done<T>)>;
    template <class T>
    void moveEither(std::string id, Move<T> move, Done<T> done, int tries = 0);
    enum class Entry {
        Came,
        Absent,    ///< there is no row: Redis knows better
        Crossing,  ///< somebody else moves it
    };
    void bringIn(std::string id, Done<Entry> done);
    void warm(const ColdRow& row, Done<Entry> done);
    void importLater(const ImportRequest& request, Done<PushOutcome> done, int tries);

    EventLoop& loop_;
    const Clock& clock_;
    JobStore& hot_;
    const redis::ShardQueues& scripts_;
    ColdJobs& cold_;
    Settings settings_;
    redis::ArrivalOrder arrival_;
    std::uint64_t nextToken_ = 0;
    CallbackGuard guard_;
};

/// Whether the job of a row that is crossing is where the row does not say so yet: Redis has it, or
/// it came there and has ended (`entering`), or it was no longer to be moved (`leaving`).
void askWhetherRowIsOver(const redis::ShardQueues& scripts, const ColdRow& row, Done<bool> done);

/// Asks warm.lua for the job of a row that the caller has claimed. The status word, or why there is
/// none.
void warmInto(const redis::ShardQueues& scripts, const ColdRow& row, Done<std::string> done);

}  // namespace restante::cold
