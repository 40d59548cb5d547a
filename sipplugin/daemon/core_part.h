#pragma once

#include "core/assembly/redis_queue.h"
#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/base/state_directory.h"
#include "core/config/config.h"
#include "core/redis/server/embedded_server.h"
#include "core/redis/store/daemon_registry.h"
#include "core/redis/store/store_sweep.h"
#include "core/schedule/due_watcher.h"
#include "core/schedule/lease_reaper.h"
#include "core/schedule/retention.h"
#include "sipplugin/sofia/su_loop.h"

#include <memory>
#include <thread>

namespace restante::daemon {

/// The state directory and the Redis of the configuration, embedded or external. *One thread.*
class RedisHost {
public:
    static Result<std::unique_ptr<RedisHost>> open(const Config& config);

    redis::RedisUrl url() const { return embedded_ ? embedded_->url() : url_; }
    /// Null when Redis is external.
    redis::EmbeddedServer* embedded() noexcept { return embedded_.get(); }

private:
    explicit RedisHost(StateDirectory directory) : directory_(std::move(directory)) {}

    StateDirectory directory_;
    redis::RedisUrl url_;
    std::unique_ptr<redis::EmbeddedServer> embedded_;
};

/// Restarts the embedded Redis when it has ended, as its connection shows: on a thread of its own,
/// because starting takes as long as reading the append-only file. *One loop.*
class EmbeddedRedisSupervisor {
public:
    EmbeddedRedisSupervisor(EventLoop& loop, redis::EmbeddedServer& server)
        : loop_(loop),
          server_(server),
          retryTimer_(loop)
    {
    }
    /// Waits for a start that has begun.
    ~EmbeddedRedisSupervisor();

    /// To be called at every change of the connection to it.
    void handleConnectionChange(bool ready);

private:
    /// Starts worker_, which starts the server if it has ended.
    void reviveServer();
    void handleRevival(const Result<bool>& revived);

    EventLoop& loop_;
    redis::EmbeddedServer& server_;
    bool connected_ = false;
    bool reviving_ = false;
    Timer retryTimer_;
    CallbackGuard callbackGuard_;
    std::thread worker_;
};

/// The heartbeat settings of one loop of this process.
redis::DaemonHeartbeat::Settings
heartbeatSettingsOf(const Config& config, std::string loop, std::vector<std::string> duties);

/// The queue on one loop, and the duties that no channel owns. *One loop.*
struct CorePart {
    /// Connects to Redis, running the loop meanwhile. The error says why Redis cannot be used.
    static Result<std::unique_ptr<CorePart>>
    open(sip::SuLoop& loop, const redis::RedisUrl& url, const Config& config);

    CorePart(sip::SuLoop& loop, const redis::RedisUrl& url, const Config& config);

    /// Runs the loop until the store may be served, or says why not.
    Result<void> awaitServing(sip::SuLoop& loop);

    redis::RedisQueue redis;
    DueWatcher due;
    LeaseReaper leaseReaper;
    Retention retention;
    std::shared_ptr<redis::SweepScheduler> sweep;
};

}  // namespace restante::daemon
