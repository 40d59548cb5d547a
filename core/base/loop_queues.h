#pragma once

#include "core/base/event_loop.h"
#include "core/base/file_descriptor.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <sys/eventfd.h>
#include <unordered_map>
#include <utility>
#include <vector>

/// Building blocks of event loops that poll by themselves.
namespace restante {

/// The timers of a loop, by monotonic time. *One loop.*
class TimerQueue {
public:
    using SteadyClock = std::chrono::steady_clock;

    EventLoop::TimerId arm(Millis after, EventLoop::Task task)
    {
        const auto id = ++lastId_;
        const auto deadline = SteadyClock::now() + std::max(after, Millis{0});
        timers_.emplace(std::pair{deadline, id}, std::move(task));
        deadlines_.emplace(id, deadline);
        return id;
    }
    void cancel(EventLoop::TimerId id) noexcept
    {
        if (const auto found = deadlines_.find(id); found != deadlines_.end()) {
            // Destroyed last: the destructors of what the task owns may arm and cancel timers.
            const auto timer = timers_.extract({found->second, id});
            deadlines_.erase(found);
        }
    }
    /// When the next one is due.
    std::optional<SteadyClock::time_point> next() const
    {
        return timers_.empty() ? std::nullopt : std::optional{timers_.begin()->first.first};
    }
    /// Passes the tasks that are due at `now` to `run`; only those armed before the call, so that a
    /// task that arms itself again with 0 does not keep the loop here.
    template <class Run>
    void runDue(SteadyClock::time_point now, const Run& run)
    {
        const auto newest = lastId_;
        while (!timers_.empty() && timers_.begin()->first.first <= now &&
               timers_.begin()->first.second <= newest) {
            auto timer = timers_.extract(timers_.begin());
            deadlines_.erase(timer.key().second);
            run(timer.mapped());
        }
    }

private:
    EventLoop::TimerId lastId_ = 0;
    std::map<std::pair<SteadyClock::time_point, EventLoop::TimerId>, EventLoop::Task> timers_;
    std::unordered_map<EventLoop::TimerId, SteadyClock::time_point> deadlines_;
};

/// Tasks that are posted to a loop, and the descriptor that wakes it (-1 if the kernel has none
/// left). Any thread, except run() and clearWake().
class PostedTasks {
public:
    /// No: the loop is awake, and asks empty() before it waits.
    enum class Wakes { No, Yes };

    int wakeFd() const noexcept { return wake_.get(); }
    bool empty() const
    {
        const std::lock_guard lock(mutex_);
        return posted_.empty();
    }

    void post(EventLoop::Task task, Wakes wakes = Wakes::Yes)
    {
        const std::lock_guard lock(mutex_);
        posted_.push_back(std::move(task));
        if (posted_.size() == 1 && wakes == Wakes::Yes) {
            wake();
        }
    }
    void wake() noexcept
    {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
    }
    /// Makes the descriptor unreadable until the next wake().
    void clearWake() noexcept
    {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto bytesRead = ::read(wake_.get(), &count, sizeof count);
    }
    /// Passes the tasks posted so far to `run`.
    template <class Run>
    void run(const Run& run)
    {
        auto tasks = std::exchange(emptyBuffer_, {});
        {
            const std::lock_guard lock(mutex_);
            tasks.swap(posted_);
        }
        for (auto& task : tasks) {
            run(task);
        }
        tasks.clear();
        emptyBuffer_ = std::move(tasks);
    }

private:
    FileDescriptor wake_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    mutable std::mutex mutex_;
    std::vector<EventLoop::Task> posted_;       ///< guarded by mutex_
    std::vector<EventLoop::Task> emptyBuffer_;  ///< keeps the capacity of the last run
};

}  // namespace restante
