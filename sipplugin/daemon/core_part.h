#pragma once

#include "core/assembly/redis_queue.h"
#include "core/config/config.h"
#include "core/redis/store/store_sweep.h"
#include "core/schedule/due_watcher.h"
#include "core/schedule/lease_reaper.h"
#include "core/schedule/retention.h"
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

    /// Turns the loop until the journal's comparison lets the store be served; the error says what
    /// is in the way.
    Result<void> awaitServing(sip::SuLoop& loop);

    redis::Connection& connection() noexcept { return redis_.connection(); }
    const Clock& clock() const noexcept { return redis_.clock(); }
    DelayQueue& queue() noexcept { return redis_.queue(); }
    DueWatcher& due() noexcept { return due_; }
    JobInspector& inspector() noexcept { return redis_.inspector(); }
    Retention& retention() noexcept { return retention_; }
    redis::SweepScheduler& sweep() noexcept { return sweep_; }
    /// Whether the store can be reached and is served.
    bool serves() const { return redis_.serving().has_value(); }

private:
    CorePart(sip::SuLoop& loop, const redis::RedisUrl& url, const Config& config);

    redis::RedisQueue redis_;
    DueWatcher due_;
    LeaseReaper leaseReaper_;
    Retention retention_;
    redis::SweepScheduler sweep_;
};

}  // namespace restante::daemon
