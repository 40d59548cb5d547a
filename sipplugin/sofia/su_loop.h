#pragma once

#include "core/base/loop_queues.h"

#include <memory>
#include <unordered_map>

struct su_root_s;

namespace restante::sip {

/// The EventLoop port on a sofia su_root: the root's owner runs it, or run() does when this made
/// it. *One loop*: that of the thread which constructs it; only post() may come from another.
class SuLoop final : public EventLoop {
public:
    /// Makes its own root on this thread.
    SuLoop();
    /// Uses the host's root, which must outlive this.
    explicit SuLoop(su_root_s* root);
    ~SuLoop() override;

    WatchId addWatch(int fd, Readiness wanted, WatchHandler handler) override;
    void changeWatch(WatchId id, Readiness wanted) override;
    void removeWatch(WatchId id) noexcept override;
    TimerId armTimer(Millis after, Task task) override;
    void cancelTimer(TimerId id) noexcept override { timers_.cancel(id); }
    void post(Task task) override { posted_.post(std::move(task)); }

    /// Runs until stop(). Not with a host's root, which the host runs.
    void run();
    /// Ends run() soon. On the loop's thread only; others post() it.
    void stop();
    /// Handles what is ready, waiting for it at most `timeout`: for tests and for draining.
    void turn(Millis timeout);
    /// Runs until `reached()`; false after `timeout`.
    bool runUntil(const std::function<bool()>& reached, Millis timeout);

private:
    struct WatchEntry;
    using RootHandle = std::unique_ptr<su_root_s, void (*)(su_root_s*)>;

    SuLoop(RootHandle ownRoot, su_root_s* root);
    void registerEntry(WatchEntry& entry, Readiness wanted);
    void deregister(WatchEntry& entry) noexcept;
    void armTimerFd() noexcept;
    void fireTimers();

    RootHandle ownRoot_;  ///< null with a host's root
    su_root_s* root_;
    // Not sofia's timers, which follow the wall clock and would jump with it.
    FileDescriptor timerFd_;
    WatchId lastId_ = 0;
    std::unordered_map<WatchId, std::shared_ptr<WatchEntry>> watches_;
    TimerQueue timers_;
    PostedTasks posted_;
};

}  // namespace restante::sip
