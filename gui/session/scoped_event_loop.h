#pragma once

#include "core/base/event_loop.h"

#include <memory>

namespace restante::gui {

/// Another loop, as long as this lives: what was posted through it dies with it, unheard. For those
/// who post what refers to themselves. *One loop*, the other one's.
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
    void post(Task task) override
    {
        host_.post([task = std::move(task), alive = std::weak_ptr(alive_)] {
            if (alive.lock()) {
                task();
            }
        });
    }

private:
    EventLoop& host_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace restante::gui
