#include "core/base/epoll_loop.h"

#include "core/base/file_descriptor.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <map>
#include <mutex>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unordered_map>
#include <vector>

namespace restante {

namespace {

using Steady = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

std::uint32_t epollEvents(Readiness wanted) noexcept
{
    return (has(wanted, Readiness::Readable) ? EPOLLIN : 0U) |
           (has(wanted, Readiness::Writable) ? EPOLLOUT : 0U);
}

Readiness happened(std::uint32_t events, Readiness wanted) noexcept
{
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
        return wanted;
    }
    return ((events & EPOLLIN) != 0 ? Readiness::Readable : Readiness::None) |
           ((events & EPOLLOUT) != 0 ? Readiness::Writable : Readiness::None);
}

constexpr std::uint64_t kWakeId = 0;  // no watch has it

}  // namespace

class EpollLoop::Impl {
public:
    Impl()
    {
        if (!epoll_ || !wake_) {
            fail("event loop: epoll_create1/eventfd");
        }
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = kWakeId;
        if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) != 0) {
            fail("event loop: epoll_ctl");
        }
    }

    WatchId addWatch(int fd, Readiness wanted, WatchHandler handler)
    {
        const WatchId id = ++lastId_;
        auto& watch =
            watches_.emplace(id, WatchEntry{fd, Readiness::None, std::move(handler)}).first->second;
        changeWatch(id, watch, wanted);
        return id;
    }

    void changeWatch(WatchId id, Readiness wanted)
    {
        if (const auto found = watches_.find(id); found != watches_.end()) {
            changeWatch(id, found->second, wanted);
        }
    }

    void removeWatch(WatchId id) noexcept
    {
        auto node = watches_.extract(id);
        if (node.empty()) {
            return;
        }
        if (node.mapped().wanted != Readiness::None) {
            epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, node.mapped().fd, nullptr);
        }
        // It may be the handler that runs now: it lives until the turn is over.
        removed_.push_back(std::move(node));
    }

    TimerId armTimer(Millis after, Task task)
    {
        const TimerId id = ++lastId_;
        const auto deadline = Steady::now() + std::max(after, Millis{0});
        timers_.emplace(std::pair{deadline, id}, std::move(task));
        deadlines_.emplace(id, deadline);
        return id;
    }

    void cancelTimer(TimerId id) noexcept
    {
        if (const auto found = deadlines_.find(id); found != deadlines_.end()) {
            timers_.erase({found->second, id});
            deadlines_.erase(found);
        }
    }

    void post(Task task)
    {
        const std::lock_guard lock(mutex_);
        posted_.push_back(std::move(task));
        if (posted_.size() == 1) {
            wake();
        }
    }

    void stop() noexcept
    {
        stopped_ = true;
        wake();
    }

    void run()
    {
        while (!stopped_) {
            turn(Steady::time_point::max());
        }
        stopped_ = false;
    }

    bool runUntil(const std::function<bool()>& reached, Millis timeout)
    {
        const auto deadline = Steady::now() + timeout;
        while (!reached()) {
            if (Steady::now() >= deadline) {
                return false;
            }
            turn(deadline);
        }
        return true;
    }

private:
    struct WatchEntry {
        int fd;
        Readiness wanted;
        WatchHandler handler;
    };
    using Watches = std::unordered_map<WatchId, WatchEntry>;

    void changeWatch(WatchId id, WatchEntry& watch, Readiness wanted)
    {
        if (watch.wanted == wanted) {
            return;
        }
        // A descriptor that is wanted for nothing is taken out: epoll reports a hang-up unasked.
        const int operation = wanted == Readiness::None         ? EPOLL_CTL_DEL
                              : watch.wanted == Readiness::None ? EPOLL_CTL_ADD
                                                                : EPOLL_CTL_MOD;
        epoll_event event{};
        event.events = epollEvents(wanted);
        event.data.u64 = id;
        if (epoll_ctl(epoll_.get(), operation, watch.fd, &event) != 0) {
            fail("event loop: epoll_ctl");
        }
        watch.wanted = wanted;
    }

    void wake() noexcept
    {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
    }

    /// Waits until something is to be done, at most until `latest`, and does it.
    void turn(Steady::time_point latest)
    {
        std::array<epoll_event, 64> events{};
        const int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                     waitMs(latest));
        for (int i = 0; i < count; ++i) {
            dispatch(events[static_cast<std::size_t>(i)]);
        }
        runTimers();
        runPosted();
        removed_.clear();
    }

    int waitMs(Steady::time_point latest) const
    {
        if (!timers_.empty()) {
            latest = std::min(latest, timers_.begin()->first.first);
        }
        if (latest == Steady::time_point::max()) {
            return -1;
        }
        // Rounded up: a wake-up just before the deadline would only turn once more.
        const auto wait = std::chrono::ceil<Millis>(latest - Steady::now()).count();
        return static_cast<int>(std::clamp<std::int64_t>(wait, 0, 60'000));
    }

    void dispatch(const epoll_event& event)
    {
        if (event.data.u64 == kWakeId) {
            std::uint64_t count = 0;
            [[maybe_unused]] const auto got = ::read(wake_.get(), &count, sizeof count);
            return;
        }
        if (const auto found = watches_.find(event.data.u64); found != watches_.end()) {
            auto& watch = found->second;
            watch.handler(happened(event.events, watch.wanted));
        }
    }

    void runTimers()
    {
        // Only those armed before: a task that arms itself with 0 must not keep out the rest.
        const auto now = Steady::now();
        const auto newest = lastId_;
        while (!timers_.empty() && timers_.begin()->first.first <= now &&
               timers_.begin()->first.second <= newest) {
            auto timer = timers_.extract(timers_.begin());
            deadlines_.erase(timer.key().second);
            timer.mapped()();
        }
    }

    void runPosted()
    {
        {
            const std::lock_guard lock(mutex_);
            running_.swap(posted_);
        }
        for (auto& task : running_) {
            task();
        }
        running_.clear();
    }

    FileDescriptor epoll_{epoll_create1(EPOLL_CLOEXEC)};
    FileDescriptor wake_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    std::uint64_t lastId_ = kWakeId;
    Watches watches_;
    std::vector<Watches::node_type> removed_;
    std::map<std::pair<Steady::time_point, TimerId>, Task> timers_;
    std::unordered_map<TimerId, Steady::time_point> deadlines_;
    std::mutex mutex_;
    std::vector<Task> posted_;  // by mutex_
    std::vector<Task> running_;
    std::atomic<bool> stopped_{false};
};

EpollLoop::EpollLoop() : impl_(std::make_unique<Impl>()) {}
EpollLoop::~EpollLoop() = default;

EventLoop::WatchId EpollLoop::addWatch(int fd, Readiness wanted, WatchHandler handler)
{
    return impl_->addWatch(fd, wanted, std::move(handler));
}
void EpollLoop::changeWatch(WatchId id, Readiness wanted)
{
    impl_->changeWatch(id, wanted);
}
void EpollLoop::removeWatch(WatchId id) noexcept
{
    impl_->removeWatch(id);
}
EventLoop::TimerId EpollLoop::armTimer(Millis after, Task task)
{
    return impl_->armTimer(after, std::move(task));
}
void EpollLoop::cancelTimer(TimerId id) noexcept
{
    impl_->cancelTimer(id);
}
void EpollLoop::post(Task task)
{
    impl_->post(std::move(task));
}
void EpollLoop::run()
{
    impl_->run();
}
void EpollLoop::stop() noexcept
{
    impl_->stop();
}
bool EpollLoop::runUntil(const std::function<bool()>& reached, Millis timeout)
{
    return impl_->runUntil(reached, timeout);
}

}  // namespace restante
