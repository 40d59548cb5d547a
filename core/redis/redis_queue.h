#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/config/config.h"
#include "core/queue/delay_queue.h"
#include "core/redis/connection.h"
#include "core/redis/disciplined_clock.h"
#include "core/redis/redis_job_inspector.h"
#include "core/redis/redis_job_store.h"

#include <memory>
#include <string>

namespace restante::redis {

class DurableJobStore;

/// A DelayQueue in Redis with all that it stands on, as one loop needs it: connections of its own,
/// Redis' clock, store, inspector, queue. Every loop of a process has one; nothing is shared
/// between them but Redis. *One loop.*
class RedisQueue {
public:
    /// Connects at once. `name` is what CLIENT LIST shows, e.g. "restanted-http". With
    /// `WakeUps::No` there is no subscription, and onWake() of the store is told of nothing.
    enum class WakeUps { No, Yes };
    /// With `journal.mode = "durable"`: which successes wait for the journal (DurableJobStore).
    enum class Confirms {
        Nothing,     ///< of a room where nobody is told that something was done
        Pushes,      ///< of a room where only those who push are told
        Everything,  ///< that somebody is told of
    };
    RedisQueue(EventLoop& loop,
               const RedisUrl& url,
               const Config& config,
               std::string name,
               WakeUps wakeUps = WakeUps::Yes,
               Confirms confirms = Confirms::Everything);
    RedisQueue(const RedisQueue&) = delete;
    RedisQueue& operator=(const RedisQueue&) = delete;
    ~RedisQueue();

    /// Answers once Redis is reached, is fit (ServerCheck; its warnings are logged when `report` is
    /// set) and has told its time; or says what is wrong and what to do after 5 s.
    enum class Report { Silent, Log };
    void awaitReady(Report report, Done<void> done);

    Connection& connection() noexcept { return commands_; }
    const Clock& clock() const noexcept { return clock_; }
    JobStore& store() noexcept;
    JobInspector& inspector() noexcept { return inspector_; }
    DelayQueue& queue() noexcept { return queue_; }

private:
    struct Opening;
    void lookAt(const std::shared_ptr<Opening>& opening);

    EventLoop& loop_;
    RedisUrl url_;
    std::string prefix_;
    std::uint32_t shards_;
    Connection commands_;
    std::unique_ptr<Connection> wakeUps_;
    DisciplinedClock clock_;
    RedisJobStore store_;
    std::unique_ptr<DurableJobStore> durable_;  ///< null when nothing waits
    RedisJobInspector inspector_;
    DelayQueue queue_;
    std::shared_ptr<Opening> opening_;
};

/// How the configuration bounds what callers push.
DelayQueue::Settings queueSettingsOf(const Config& config);

}  // namespace restante::redis
