#pragma once

#include "core/base/callback_guard.h"
#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/queue/job_store.h"
#include "core/redis/store/commit_watch.h"
#include "core/redis/store/lane_scores.h"
#include "core/redis/store/shard_queues.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace restante::redis {

class Connection;
struct Reply;
struct ScriptSubject;

struct DamagedJob;
class SlotExchange;

/// With `journal.mode = "durable"`: which calls succeed only after the journal has committed them
/// (docs/journal.md).
enum class Confirms {
    Nothing,     ///< no call: nobody is told of a success
    Pushes,      ///< only push() and importJob()
    Everything,  ///< all calls whose success is reported to somebody
};

/// The JobStore in Redis: each method is a script in core/lua, of the same name or the beginning of
/// it (a push into a mailbox is push_mailbox), sent by group commit (ScriptQueue) to the shard of
/// the job or mailbox. Claims ask the shards in turn.
///
/// With more than one shard a message's id must belong to the shard of its recipient's mailbox
/// (shardOfMailbox; JobIdGenerator makes such ids); push refuses others as Invalid. A job whose
/// record is damaged is never given out: it is buried with the reason.
///
/// A shard that cannot be reached does not hold up the others: claims and expire() go on to the
/// next, dueMailboxes() and lapsed() answer with what the others have, and earliest() then answers
/// with a moment within 2 s, so that the shard is asked again. They fail when no shard answers.
///
/// While a journal that has to confirm is down, pushes and calls of operators are refused as
/// Unavailable before anything is done. Claims go on. Calls that end an attempt (finish, retry,
/// bury, hold) are executed in any case, because the delivery has happened; they are answered with
/// Unavailable when the journal does not confirm them in time, as are all calls pending when the
/// journal goes down. They may be repeated. Calls without a promise to anybody (touch, mark,
/// expire, reap, due mailboxes, topics), and the once keys, which the journal does not have, do not
/// wait for it.
///
/// Borrows everything else; the connections must outlive it. *One loop.*
class RedisJobStore final : public JobStore {
public:
    struct Settings {
        std::string prefix = "rst";          ///< `redis.prefix`
        std::uint32_t shards = 1;            ///< `redis.shards`, as checkServer() found it
        std::uint32_t eventsKept = 100'000;  ///< entries of each shard's event stream
        bool keepDone = false;               ///< `retention.done` > 0
        ServingGate* gate = nullptr;  ///< refuses calls while the store is not served; may be null
        Confirms confirms = Confirms::Nothing;
        std::shared_ptr<CommitWatch> journal = {};  ///< null only with Confirms::Nothing
    };

    /// `wakeUps` is a connection only for the subscription; null: onWake() never calls its handler,
    /// for programs that do not wait for due jobs.
    RedisJobStore(EventLoop& loop,
                  Connection& commands,
                  Connection* wakeUps,
                  const Clock& clock,
                  Settings settings);
    /// Calls that wait for the journal are not answered any more.
    ~RedisJobStore() override;

    /// For other scripts about the same mailboxes, so that they keep their order with these calls.
    const ShardQueues& shards() const noexcept { return shards_; }

    void push(PushRequest request, Done<PushOutcome> done) override;
    void claim(ClaimRequest request, Done<std::vector<ClaimedJob>> done) override;
    void claimMailbox(MailboxClaim claim, Done<std::vector<ClaimedJob>> done) override;
    void lackingDevices(DeviceQuery query, Done<std::vector<std::string>> done) override;
    void claimForDevice(DeviceClaim claim, Done<DeviceBatch> done) override;
    void mark(DeviceMark mark, Done<TimePoint> done) override;
    void finish(Lease lease, Done<std::uint64_t> done) override;
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
    void lapsed(std::uint32_t max, Done<std::vector<ClaimedJob>> done) override;
    void reap(ReapVerdict verdict, Done<void> done) override;
    void pauseTopic(TopicAction action, Done<void> done) override;
    void resumeTopic(TopicAction action, Done<void> done) override;
    void limitTopic(TopicAction action, TopicLimits limits, Done<void> done) override;
    void dueMailboxes(std::uint32_t max, Done<std::vector<std::string>> done) override;
    void earliest(DueSource source, Done<std::optional<TimePoint>> done) override;
    void onWake(std::function<void(const Wake&)> handler) override;

private:
    using WakeHandler = std::function<void(const Wake&)>;
    using Arguments = std::initializer_list<std::string_view>;
    struct ClaimRound;
    struct ExpireRound;
    struct LimitRound;
    template <class T>
    struct MailboxClaimRun;

    /// A call must stay short, so it moves at most 1,000 jobs.
    static std::uint32_t boundedCount(std::uint32_t max) noexcept { return std::min(max, 1'000U); }
    /// The names with a space between them, as core/lua/lib/expected.lua takes them.
    static std::string formatStates(const std::vector<JobState>& states);
    ScriptQueue& shardOf(std::string_view id);
    ScriptQueue& mailboxShardOf(std::string_view recipient);
    template <class T>
    void answerLater(Done<T> done, std::common_type_t<Result<T>> result)
    {
        loop_.post([done = std::move(done), result = std::move(result)] { done(result); });
    }
    void refuse(std::string_view id, std::string_view why, Done<PushOutcome> done);
    /// Calls `done` with a success only once the journal has committed it.
    template <class T>
    Done<T> onceCommitted(std::string_view id, Done<T> done) const;
    /// If such a call needs the journal: while the journal is down answers `done` with an error and
    /// returns false; otherwise wraps `done` by onceCommitted().
    template <class T>
    bool confirmOrRefuse(Confirms call, std::string_view id, Done<T>& done);
    template <class T>
    void claimFromMailbox(const std::shared_ptr<MailboxClaimRun<T>>& claim);
    void claimFromNextShard(std::shared_ptr<ClaimRound> round);
    void expireInNextShard(std::shared_ptr<ExpireRound> round);
    void fetchSlots(const Result<Reply>& reply,
                    std::uint32_t shard,
                    int tries,
                    std::function<void(bool)> done);
    void runOnEveryShard(std::string_view name, TopicAction action, Done<void> done);
    void changeTopic(ScriptQueue& shard,
                     std::string_view name,
                     const std::vector<std::string>& arguments,
                     Done<Reply> done);
    enum class Audit { No, Yes };
    void limitShard(const std::shared_ptr<LimitRound>& round,
                    std::uint32_t shard,
                    Audit audit,
                    Done<Reply> done);
    void limitOthers(const std::shared_ptr<LimitRound>& round);
    void buryDamaged(const std::vector<DamagedJob>& damaged);
    void wakeAll();
    void
    runScript(std::string_view name, ScriptSubject subject, Arguments arguments, Done<void> done);
    template <class T>
    Done<T> whenConfirmed(const Lease& lease, Done<T> done) const;
    void
    endAttempt(std::string_view name, const Lease& lease, Arguments arguments, Done<void> done);
    void runForOperator(std::string_view name,
                        std::string_view id,
                        Arguments arguments,
                        Done<void> done);

    EventLoop& loop_;
    const Clock& clock_;
    Connection* wakeUps_;
    Settings settings_;
    bool isClosing_ = false;  ///< the queues are being destroyed, one after the other
    ShardQueues shards_;
    std::uint32_t nextShard_ = 0;  ///< the shard at which the next claim begins (round robin)
    LaneScores laneScores_;
    std::shared_ptr<SlotExchange> slotExchange_;  ///< null with one shard, which has them all
    std::string record_;                          ///< kept for its capacity
    std::shared_ptr<WakeHandler> wakeHandler_;  ///< shared with `wakeUps`, which outlives the store
    CallbackGuard callbackGuard_;
};

}  // namespace restante::redis
