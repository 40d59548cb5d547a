#pragma once

#include "core/config/config.h"
#include "core/queue/delay_queue.h"
#include "core/redis/connection.h"
#include "core/redis/disciplined_clock.h"
#include "core/redis/redis_job_inspector.h"
#include "core/redis/redis_job_store.h"
#include "core/schedule/due_watcher.h"
#include "core/schedule/retention.h"
#include "core/schedule/upkeep.h"
#include "sipplugin/sofia/su_loop.h"

#include <memory>

namespace restante::daemon {

/// Everything of core on one loop: the queue, what it stands on, and the duties that no channel
/// owns. *One loop.*
class CorePart {
public:
    /// Connects to Redis and checks that it is fit, turning the loop meanwhile. The error says what
    /// is wrong with it.
    static Result<std::unique_ptr<CorePart>>
    open(sip::SuLoop& loop, const redis::RedisUrl& url, const Config& config);

    redis::Connection& connection() noexcept { return commands_; }
    const Clock& clock() const noexcept { return clock_; }
    DelayQueue& queue() noexcept { return queue_; }
    DueWatcher& due() noexcept { return due_; }
    JobInspector& inspector() noexcept { return inspector_; }
    Retention& retention() noexcept { return retention_; }

private:
    CorePart(sip::SuLoop& loop, const redis::RedisUrl& url, const Config& config);
    Result<void> check(sip::SuLoop& loop, const redis::RedisUrl& url, const Config& config);

    redis::Connection commands_;
    redis::Connection wakeUps_;
    redis::DisciplinedClock clock_;
    redis::RedisJobStore store_;
    redis::RedisJobInspector inspector_;
    DelayQueue queue_;
    DueWatcher due_;
    Upkeep upkeep_;
    Retention retention_;
};

}  // namespace restante::daemon
