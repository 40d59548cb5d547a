#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"

namespace restante::gui {

/// Forwards to another loop; tasks that were posted through it are dropped when it is destroyed.
/// For objects whose tasks refer to themselves. *One loop*, the other one's.
class ScopedEventLoop final : public EventLoop {
public:
    explicit ScopedEventLoop(EventLoop& host) : host_(host) {}

    WatchId addWatch(int fd, Readiness wanted, WatchHandler handler) override
    {
        return host_.addWatch(fd, wanted, std::move(handler));
    }
    void changeWatch(WatchId id, Readiness wanted) override { host_.changeWatch(id, wanted); }
    void removeWatch(WatchId id) noexcept override { host_.removeWatch(id); }
    TimerId armTimer(Millis after, Task task) override
    {
        return host_.armTimer(after, std::move(task));
    }
    void cancelTimer(TimerId id) noexcept override { host_.cancelTimer(id); }
    void post(Task task) override { host_.post(callbackGuard_.guard(std::move(task))); }

private:
    EventLoop& host_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::gui
