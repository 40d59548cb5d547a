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

/// Whether the queue refuses a job of the channel sms while `sms.gateway` is off. A request is
/// refused, because nobody may deliver it. What was accepted before waits in its lane: another
/// daemon of the store may have a gateway.
enum class Texts { NeedGateway, MayWait };

/// A DelayQueue in Redis for one loop, with all that it needs: connections of its own, Redis'
/// clock, store, inspector, queue. Each loop of a process has one; they share only Redis. *One
/// loop.*
class RedisQueue {
public:
    /// Without wake-ups there is no subscription, and the store's onWake() handler is never called.
    enum class WakeUps { No, Yes };
    using Confirms = redis::Confirms;
    /// With a journal: whether calls are refused while the store has not been compared with it
    /// (ServingGate). Daemons refuse them; a tool must work without a daemon.
    enum class Gated {
        No,
        Yes,
        Reporting,  ///< and the log says when the store is closed and opened
    };
    using Texts = redis::Texts;
    /// Connects at once. `name` is what CLIENT LIST shows, e.g. "restanted-http".
    RedisQueue(EventLoop& loop,
               const RedisUrl& url,
               const Config& config,
               std::string name,
               WakeUps wakeUps = WakeUps::Yes,
               Confirms confirms = Confirms::Everything,
               Gated gated = Gated::No,
               Texts texts = Texts::NeedGateway);
    ~RedisQueue();

    /// Whether warnings of checkServer() are logged.
    enum class Report { Silent, Log };
    /// Answers once Redis is reached, is fit (checkServer()) and its time is known; when it is
    /// unfit, or after 5 s, with an error that says what is wrong and what to do.
    void awaitReady(Report report, Done<void> done);

    /// Answers once the store is served, or after 10 s with the reason why it is not. Ok at once
    /// unless it is gated.
    void awaitServing(Done<void> done);
    /// Ok if the store is served now, and a durable journal confirms writes; Unavailable says why
    /// not.
    Result<void> serving() const;

    /// How many bytes Redis may hold (ServerReport::memory); 0 until it is known.
    std::uint64_t memoryLimit() const noexcept { return memoryLimit_; }

    Connection& connection() noexcept { return commands_; }
    /// Null when nothing is gated.
    ServingGate* gate() noexcept { return gate_.get(); }
    const Clock& clock() const noexcept { return clock_; }
    JobStore& store() noexcept { return store_; }
    const ShardQueues& shards() const noexcept { return store_.shards(); }
    JobInspector& inspector() noexcept { return inspector_; }
    DelayQueue& queue() noexcept { return queue_; }

private:
    struct PendingReadiness;
    void continueReadyWait();
    void checkServer(const std::shared_ptr<PendingReadiness>& wait);
    void answerIfServed();

    EventLoop& loop_;
    RedisUrl url_;
    std::string prefix_;
    std::uint32_t shards_;
    std::uint64_t memoryLimit_ = 0;
    Connection commands_;
    std::unique_ptr<Connection> wakeUps_;
    DisciplinedClock clock_;
    std::unique_ptr<ServingGate> gate_;         ///< null when nothing is gated
    std::shared_ptr<CommitWatch> commitWatch_;  ///< null unless calls wait for the journal
    RedisJobStore store_;
    RedisJobInspector inspector_;
    DelayQueue queue_;
    std::shared_ptr<PendingReadiness> readyWait_;
    std::shared_ptr<PendingReadiness> servingWait_;
    CallbackGuard callbackGuard_;
};

/// The Redis of a configuration: the one that `redis.url` names, with the password that
/// `redis.password_file` holds, or the socket of the embedded one. Invalid says what is wrong, and
/// shows no password.
Result<RedisUrl> redisUrlOf(const Config& config);

/// The queue settings of a configuration.
DelayQueue::Settings queueSettingsOf(const Config& config, Texts texts = Texts::NeedGateway);

}  // namespace restante::redis
