#pragma once

#include "core/base/event_loop.h"
#include "tests/support/manual_clock.h"

#include <cassert>
#include <deque>
#include <map>
#include <utility>

namespace restante::test {

/// A loop whose time is a ManualClock, so that timers of any length fire without waiting and at the
/// exact millisecond. For code that watches no descriptors.
class ManualLoop final : public EventLoop {
public:
    explicit ManualLoop(ManualClock& clock) : clock_(clock) {}

    /// From now on timers fire this much early by the clock, as they do when the clock is set back
    /// or disciplined.
    void fireTimersEarlyBy(Millis early) { early_ = early; }

    /// Runs posted tasks and due timers until there are none.
    void settle()
    {
        for (auto task = nextTask(); task; task = nextTask()) {
            task();
        }
    }
    /// Lets time pass, stopping at every timer on the way.
    void advance(Millis time)
    {
        const auto end = clock_.now() + time;
        settle();
        while (!timers_.empty() && timers_.begin()->first.first <= end) {
            clock_.set(std::max(clock_.now(), timers_.begin()->first.first));
            settle();
        }
        clock_.set(end);
        settle();
    }

    WatchId addWatch(int, Readiness, WatchHandler) override
    {
        assert(false && "this loop watches no descriptors");
        return 0;
    }
    void changeWatch(WatchId, Readiness) override {}
    void removeWatch(WatchId) noexcept override {}

    TimerId armTimer(Millis after, Task task) override
    {
        const auto at = clock_.now() + (after > early_ ? after - early_ : after);
        timers_.emplace(std::pair{at, ++lastId_}, std::move(task));
        return lastId_;
    }
    void cancelTimer(TimerId id) noexcept override
    {
        std::erase_if(timers_, [id](const auto& timer) { return timer.first.second == id; });
    }
    void post(Task task) override { posted_.push_back(std::move(task)); }

private:
    Task nextTask()
    {
        Task task;
        if (!posted_.empty()) {
            task = std::move(posted_.front());
            posted_.pop_front();
        } else if (!timers_.empty() && timers_.begin()->first.first <= clock_.now()) {
            task = std::move(timers_.begin()->second);
            timers_.erase(timers_.begin());
        }
        return task;
    }

    ManualClock& clock_;
    Millis early_{0};
    TimerId lastId_ = 0;
    std::deque<Task> posted_;
    std::map<std::pair<TimePoint, TimerId>, Task> timers_;
};

}  // namespace restante::test
