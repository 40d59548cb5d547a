#pragma once

#include "core/base/event_loop.h"

#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace restante::http {

/// An io_context as the loop of core's asynchronous parts, so that HTTP and Redis share one loop.
/// *One loop*, except post() and stop().
class AsioLoop final : public EventLoop {
public:
    AsioLoop();
    ~AsioLoop() override;

    WatchId addWatch(int fd, Readiness wanted, WatchHandler handler) override;
    void changeWatch(WatchId id, Readiness wanted) override;
    void removeWatch(WatchId id) noexcept override;
    TimerId armTimer(Millis after, Task task) override;
    void cancelTimer(TimerId id) noexcept override;
    void post(Task task) override;

    boost::asio::io_context& context() noexcept;

    /// Turns until stop(). A stop() that came before ends it at once.
    void run();
    /// Any thread.
    void stop() noexcept;
    /// Turns until `reached` is true (checked after every turn) or `timeout` is over; returns the
    /// last value of `reached`.
    bool runUntil(const std::function<bool()>& reached, Millis timeout);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante::http
