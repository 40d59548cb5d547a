#pragma once

#include "core/base/event_loop.h"

#include <functional>
#include <memory>

namespace restante {

/// The loop for a program that has no other: the command line and the tests. *One loop*, except
/// post() and stop(). Throws std::system_error when the kernel has no descriptors left.
class EpollLoop final : public EventLoop {
public:
    EpollLoop();
    ~EpollLoop() override;

    WatchId addWatch(int fd, Readiness wanted, WatchHandler handler) override;
    void changeWatch(WatchId id, Readiness wanted) override;
    void removeWatch(WatchId id) noexcept override;
    TimerId armTimer(Millis after, Task task) override;
    void cancelTimer(TimerId id) noexcept override;
    void post(Task task) override;

    /// Turns until stop(). A stop() that came before ends it at once.
    void run();
    /// Any thread.
    void stop() noexcept;
    /// Turns until `reached` is true (asked after every turn) or `timeout` is over; what it
    /// answered last.
    bool runUntil(const std::function<bool()>& reached, Millis timeout);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante
