#pragma once

#include "core/base/event_loop.h"
#include "core/base/state_directory.h"
#include "core/config/config.h"
#include "core/redis/server/embedded_server.h"

#include <memory>
#include <thread>

namespace restante::daemon {

/// The state directory, held for this daemon alone, and the Redis of the configuration: the
/// embedded one, started or adopted, or a real one. *One thread.*
class RedisHost {
public:
    static Result<std::unique_ptr<RedisHost>> open(const Config& config);

    redis::RedisUrl url() const { return embedded_ ? embedded_->url() : url_; }
    /// Null when Redis is somebody else's.
    redis::EmbeddedServer* embedded() noexcept { return embedded_.get(); }

private:
    explicit RedisHost(StateDirectory directory) : directory_(std::move(directory)) {}

    StateDirectory directory_;
    redis::RedisUrl url_;
    std::unique_ptr<redis::EmbeddedServer> embedded_;
};

/// Brings the embedded Redis back when the connection shows that it has died: on a thread of its
/// own, because starting takes as long as reading the append-only file. *One loop.*
class EmbeddedRedisSupervisor {
public:
    EmbeddedRedisSupervisor(EventLoop& loop, redis::EmbeddedServer& server)
        : loop_(loop),
          server_(server),
          retryTimer_(loop)
    {
    }
    /// Waits for a start that is under way.
    ~EmbeddedRedisSupervisor();

    /// To be told of every change of the connection to it.
    void connectionChanged(bool ready);

private:
    void check();
    void checked(const Result<bool>& revived);

    EventLoop& loop_;
    redis::EmbeddedServer& server_;
    bool connected_ = false;
    bool checking_ = false;
    Timer retryTimer_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< for a result that outlives this
    std::thread worker_;
};

}  // namespace restante::daemon
