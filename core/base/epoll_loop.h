#pragma once

#include "core/base/event_loop.h"
#include "core/base/loop_queues.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace restante {

/// The loop of a thread that has no other: of the command line, the client library, the tests, of
/// the daemon's HTTP, couriers, journal and further SIP threads. *One loop*, except post() and
/// stop(). Throws std::system_error when the kernel has no descriptors left.
class EpollLoop final : public EventLoop {
public:
    EpollLoop();

    WatchId addWatch(int fd, Readiness wanted, WatchHandler handler) override;
    void changeWatch(WatchId id, Readiness wanted) override;
    void removeWatch(WatchId id) noexcept override;
    TimerId armTimer(Millis after, Task task) override
    {
        return timers_.arm(after, std::move(task));
    }
    void cancelTimer(TimerId id) noexcept override { timers_.cancel(id); }
    void post(Task task) override;

    /// Runs the loop until stop(). Returns at once when stop() was called before.
    void run();
    /// Any thread.
    void stop() noexcept;
    /// Runs the loop until `condition` returns true (asked after every turn) or `timeout` is over.
    /// Returns whether the condition was true.
    bool runUntil(const std::function<bool()>& condition, Millis timeout);

private:
    using SteadyClock = TimerQueue::SteadyClock;
    struct WatchEntry {
        int fd;
        Readiness wanted;
        WatchHandler handler;
    };
    using Watches = std::unordered_map<WatchId, WatchEntry>;

    void setInterest(WatchId id, WatchEntry& watch, Readiness wanted);
    void runOnce(SteadyClock::time_point deadline);
    int epollTimeoutMs(SteadyClock::time_point deadline) const;
    void dispatch(WatchId id, std::uint32_t events);

    FileDescriptor epoll_;
    WatchId lastWatchId_ = 0;  ///< 0 stands for the wake-up of postedTasks_
    Watches watches_;
    std::vector<Watches::node_type> removedWatches_;
    TimerQueue timers_;
    PostedTasks postedTasks_;
    std::atomic<bool> stopped_{false};
};

}  // namespace restante
