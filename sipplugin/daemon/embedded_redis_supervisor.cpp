#include "sipplugin/daemon/embedded_redis_supervisor.h"

#include "core/base/log.h"

namespace restante::daemon {

EmbeddedRedisSupervisor::EmbeddedRedisSupervisor(EventLoop& loop, redis::EmbeddedServer& server)
    : loop_(loop),
      server_(server),
      retryTimer_(loop)
{
}

EmbeddedRedisSupervisor::~EmbeddedRedisSupervisor()
{
    if (worker_.joinable()) {
        worker_.join();
    }
}

void EmbeddedRedisSupervisor::connectionChanged(bool ready)
{
    connected_ = ready;
    if (ready) {
        retryTimer_.cancel();
    } else if (!checking_) {
        check();
    }
}

void EmbeddedRedisSupervisor::check()
{
    checking_ = true;
    if (worker_.joinable()) {
        worker_.join();  // it has posted its result, so it is at its end
    }
    worker_ = std::thread([this, alive = std::weak_ptr(alive_)] {
        auto revived = server_.revive();
        loop_.post([this, alive, revived = std::move(revived)] {
            if (!alive.expired()) {
                checked(revived);
            }
        });
    });
}

void EmbeddedRedisSupervisor::checked(const Result<bool>& revived)
{
    // A server that lives but does not answer yet, or cannot start now, is looked at again.
    constexpr Millis kPause{500};
    checking_ = false;
    if (!revived) {
        log::error("redis", "the embedded server is down: {}", revived.error().message);
    } else if (*revived) {
        log::warning("redis", "the embedded server had ended and was started again (pid {})",
                     server_.processId());
    }
    if (!connected_) {
        retryTimer_.arm(kPause, [this] { check(); });
    }
}

}  // namespace restante::daemon
