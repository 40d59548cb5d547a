#include "sipplugin/daemon/embedded_keeper.h"

#include "core/base/log.h"

namespace restante::daemon {

EmbeddedKeeper::EmbeddedKeeper(EventLoop& loop, redis::EmbeddedServer& server)
    : loop_(loop),
      server_(server),
      again_(loop)
{
}

EmbeddedKeeper::~EmbeddedKeeper()
{
    if (worker_.joinable()) {
        worker_.join();
    }
}

void EmbeddedKeeper::connectionChanged(bool ready)
{
    connected_ = ready;
    if (ready) {
        again_.cancel();
    } else if (!looking_) {
        look();
    }
}

void EmbeddedKeeper::look()
{
    looking_ = true;
    if (worker_.joinable()) {
        worker_.join();  // it has posted its result, so it is at its end
    }
    worker_ = std::thread([this, alive = std::weak_ptr(alive_)] {
        auto revived = server_.revive();
        loop_.post([this, alive, revived = std::move(revived)] {
            if (!alive.expired()) {
                looked(revived);
            }
        });
    });
}

void EmbeddedKeeper::looked(const Result<bool>& revived)
{
    // A server that lives but does not answer yet, or cannot start now, is looked at again.
    constexpr Millis kPause{500};
    looking_ = false;
    if (!revived) {
        log::error("redis", "the embedded server is down: {}", revived.error().message);
    } else if (*revived) {
        log::warning("redis", "the embedded server had ended and was started again (pid {})",
                     server_.processId());
    }
    if (!connected_) {
        again_.arm(kPause, [this] { look(); });
    }
}

}  // namespace restante::daemon
