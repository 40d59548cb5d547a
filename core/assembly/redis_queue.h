#pragma once

#include "core/base/callback_guard.h"
#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/config/config.h"
#include "core/queue/delay_queue.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/store/disciplined_clock.h"
#include "core/redis/store/redis_job_inspector.h"
#include "core/redis/store/redis_job_store.h"

#include <memory>
#include <string>

namespace restante::redis {

class ServingGate;

/// A DelayQueue in Redis with all that it stands on, as one loop needs it: connections of its own,
/// Redis' clock, store, inspector, queue. Every loop of a process has one; nothing is shared
/// between them but Redis. *One loop.*
class RedisQueue {
public:
    /// Without wake-ups there is no subscription, and onWake() of the store is told of nothing.
    enum class WakeUps { No, Yes };
    using Confirms = redis::Confirms;
    /// With a journal: whether calls are refused while the store has not been compared with it
    /// (ServingGate). A daemon's are; a tool must work where no daemon is.
    enum class Gated {
        No,
        Yes,
        Reporting,  ///< and the log says when the store is closed and opened
    };
    /// Connects at once. `name` is what CLIENT LIST shows, e.g. "restanted-http".
    RedisQueue(EventLoop& loop,
               const RedisUrl& url,
               const Config& config,
               std::string name,
               WakeUps wakeUps = WakeUps::Yes,
               Confirms confirms = Confirms::Everything,
               Gated gated = Gated::No);
    ~RedisQueue();

    /// What becomes of checkServer()'s warnings.
    enum class Report { Silent, Log };
    /// Answers once Redis is reached, is fit (checkServer()) and has told its time; or says what is
    /// wrong and what to do after 5 s.
    void awaitReady(Report report, Done<void> done);

    /// Answers once the store is served, or says after 10 s why it is not. Ok at once unless it is
    /// gated.
    void awaitServing(Done<void> done);
    /// Whether the store is served now, and confirms what it is given: Unavailable says what is
    /// going on.
    Result<void> serving() const;

    /// How many bytes Redis may hold (ServerReport::memory); 0 until it is known.
    std::uint64_t memory() const noexcept { return memory_; }

    Connection& connection() noexcept { return commands_; }
    /// Null when nothing is gated.
    ServingGate* gate() noexcept { return gate_.get(); }
    const Clock& clock() const noexcept { return clock_; }
    JobStore& store() noexcept { return store_; }
    const ShardQueues& shards() const noexcept { return store_.shards(); }
    JobInspector& inspector() noexcept { return inspector_; }
    DelayQueue& queue() noexcept { return queue_; }

private:
    struct Opening;
    void continueOpening();
    void checkServer(const std::shared_ptr<Opening>& opening);
    void answerWhenServed();

    EventLoop& loop_;
    RedisUrl url_;
    std::string prefix_;
    std::uint32_t shards_;
    std::uint64_t memory_ = 0;
    Connection commands_;
    std::unique_ptr<Connection> wakeUps_;
    DisciplinedClock clock_;
    std::unique_ptr<ServingGate> gate_;     ///< null when nothing is gated
    std::shared_ptr<CommitWatch> journal_;  ///< null when nothing waits for it
    RedisJobStore store_;
    RedisJobInspector inspector_;
    DelayQueue queue_;
    std::shared_ptr<Opening> opening_;
    std::shared_ptr<Opening> serving_;
    CallbackGuard callbackGuard_;
};

/// The Redis of a configuration: the one that `redis.url` names, with the password that
/// `redis.password_file` holds, or the socket of the embedded one. Invalid says what is wrong, and
/// shows no password.
Result<RedisUrl> redisUrlOf(const Config& config);

/// How the configuration bounds what callers push.
DelayQueue::Settings queueSettingsOf(const Config& config);

}  // namespace restante::redis
