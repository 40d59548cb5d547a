#pragma once

#include "core/base/event_loop.h"
#include "core/redis/server/embedded_server.h"

#include <memory>
#include <thread>

namespace restante::daemon {

/// Brings the embedded Redis back when it has died, without the loop waiting for it: looks after it
/// whenever the connection is lost, on a thread of its own, because starting may take as long as
/// reading the append-only file does. *One loop.*
class EmbeddedRedisSupervisor {
public:
    EmbeddedRedisSupervisor(EventLoop& loop, redis::EmbeddedServer& server);
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
