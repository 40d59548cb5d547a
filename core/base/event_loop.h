#pragma once

#include "core/base/clock.h"
#include "core/base/interface.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace restante {

/// The readiness that a watch asks for, and that is reported to it. Values combine with `|`.
enum class Readiness : unsigned { None = 0, Readable = 1, Writable = 2 };

constexpr Readiness operator|(Readiness a, Readiness b) noexcept
{
    return static_cast<Readiness>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool has(Readiness set, Readiness one) noexcept
{
    return (static_cast<unsigned>(set) & static_cast<unsigned>(one)) != 0;
}

/// The event loop as a port, used by core's asynchronous parts. The program owns the loop: sofia's
/// su_root, Qt, or EpollLoop where there is no other.
///
/// Thread: everything but post() is called on the loop's own thread. Handlers run on that thread,
/// one at a time, never from inside the call that registered them, and must not throw and not
/// block. A handler may remove its own watch or cancel any timer. Prefer the owners Watch and
/// Timer below to the raw calls.
class EventLoop : public Interface {
public:
    using Task = std::function<void()>;
    using WatchHandler = std::function<void(Readiness)>;
    using WatchId = std::uint64_t;
    using TimerId = std::uint64_t;

    /// Level-triggered watch of `fd`. Errors and hang-ups are reported as whatever was wanted, so
    /// that the next read or write finds them. One watch a descriptor. Never returns 0.
    virtual WatchId addWatch(int fd, Readiness wanted, WatchHandler handler) = 0;
    /// `Readiness::None` keeps the watch but reports nothing to it.
    virtual void changeWatch(WatchId id, Readiness wanted) = 0;
    /// Unknown ids are ignored. The handler is not called again, even if it was already due.
    virtual void removeWatch(WatchId id) noexcept = 0;

    /// Runs `task` once, not before `after` has passed (monotonic time, ms resolution). Never
    /// returns 0.
    virtual TimerId armTimer(Millis after, Task task) = 0;
    /// Unknown and fired ids are ignored.
    virtual void cancelTimer(TimerId id) noexcept = 0;

    /// Runs `task` on the loop's thread in a later turn, in the order of the posts. Any thread.
    virtual void post(Task task) = 0;
};

struct WatchRemover {
    EventLoop::WatchId id = 0;
    void operator()(EventLoop* loop) const noexcept { loop->removeWatch(id); }
};

/// Owns one watch of a loop: removes it when destroyed. *One loop.*
class Watch {
public:
    Watch() = default;
    Watch(EventLoop& loop, int fd, Readiness wanted, EventLoop::WatchHandler handler)
        : loop_(&loop, WatchRemover{loop.addWatch(fd, wanted, std::move(handler))})
    {
    }

    void change(Readiness wanted)
    {
        if (loop_ != nullptr) {
            loop_->changeWatch(loop_.get_deleter().id, wanted);
        }
    }
    void remove() noexcept { loop_.reset(); }

private:
    std::unique_ptr<EventLoop, WatchRemover> loop_;  ///< null = none is watched
};

/// Owns one timer of a loop: cancels it when destroyed or armed again. *One loop.*
class Timer {
public:
    explicit Timer(EventLoop& loop) noexcept : loop_(loop) {}
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() { cancel(); }

    void arm(Millis after, EventLoop::Task task)
    {
        cancel();
        id_ = loop_.armTimer(after, [this, task = std::move(task)] {
            id_ = 0;
            // A copy, because the task may arm this timer again, which destroys the original
            // closure.
            auto run = task;
            run();
        });
    }
    void cancel() noexcept
    {
        if (auto id = std::exchange(id_, 0)) {
            loop_.cancelTimer(id);
        }
    }
    bool armed() const noexcept { return id_ != 0; }

private:
    EventLoop& loop_;
    EventLoop::TimerId id_ = 0;
};

}  // namespace restante
