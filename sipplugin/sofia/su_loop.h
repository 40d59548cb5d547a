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
    /// A root of our own on this thread.
    SuLoop();
    /// A guest on the host's root, which must outlive this.
    explicit SuLoop(su_root_s* root);
    ~SuLoop() override;

    WatchId addWatch(int fd, Readiness wanted, WatchHandler handler) override;
    void changeWatch(WatchId id, Readiness wanted) override;
    void removeWatch(WatchId id) noexcept override;
    TimerId armTimer(Millis after, Task task) override;
    void cancelTimer(TimerId id) noexcept override { timers_.cancel(id); }
    void post(Task task) override { posted_.post(std::move(task)); }

    /// Serves until stop(). Not for a guest: its host runs the root.
    void run();
    /// Ends run() soon. The loop's thread; others post() it.
    void stop();
    /// Serves what is ready, waiting for it at most `timeout`: for tests and for draining.
    void turn(Millis timeout);
    /// Turns until `reached`; false when `timeout` is over before.
    bool runUntil(const std::function<bool()>& reached, Millis timeout);

private:
    struct WatchEntry;
    using RootHandle = std::unique_ptr<su_root_s, void (*)(su_root_s*)>;

    SuLoop(RootHandle own, su_root_s* root);
    void registerEntry(WatchEntry& entry, Readiness wanted);
    void deregister(WatchEntry& entry) noexcept;
    void setAlarm() noexcept;
    void fireTimers();

    RootHandle own_;  ///< null for a guest
    su_root_s* root_;
    // Timers of our own: sofia's follow the wall clock and would jump with it.
    FileDescriptor alarm_;
    WatchId lastId_ = 0;
    std::unordered_map<WatchId, std::shared_ptr<WatchEntry>> watches_;
    TimerQueue timers_;
    PostedTasks posted_;
};

}  // namespace restante::sip
