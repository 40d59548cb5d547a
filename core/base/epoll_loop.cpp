#include "core/base/epoll_loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <system_error>
#include <utility>

namespace restante {

namespace {

[[noreturn]] void throwErrno(const char* operation)
{
    throw std::system_error(errno, std::generic_category(), operation);
}

std::uint32_t epollEvents(Readiness wanted) noexcept
{
    return (has(wanted, Readiness::Readable) ? EPOLLIN : 0U) |
           (has(wanted, Readiness::Writable) ? EPOLLOUT : 0U);
}

/// What of `wanted` the events report. Another handler may have changed `wanted` since epoll
/// reported them.
Readiness readinessOf(std::uint32_t events, Readiness wanted) noexcept
{
    const bool isBroken = (events & (EPOLLERR | EPOLLHUP)) != 0;
    const auto reported = [&](Readiness direction, std::uint32_t event) {
        return has(wanted, direction) && (isBroken || (events & event) != 0) ? direction
                                                                             : Readiness::None;
    };
    return reported(Readiness::Readable, EPOLLIN) | reported(Readiness::Writable, EPOLLOUT);
}

constexpr std::uint64_t kWakeWatchId = 0;  // no watch has this id

using Events = std::array<epoll_event, 64>;
/// How often a turn polls again because more is ready than Events takes; what is posted waits.
constexpr int kMostPolls = 16;

/// The loop in whose turn this thread is.
thread_local const EventLoop* turningLoop = nullptr;

/// A turn of a loop; a handler may turn another one meanwhile.
class Turn {
public:
    explicit Turn(const EventLoop& loop) : outer_(std::exchange(turningLoop, &loop)) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { turningLoop = outer_; }

private:
    const EventLoop* outer_;
};

}  // namespace

EpollLoop::EpollLoop() : epoll_(epoll_create1(EPOLL_CLOEXEC))
{
    if (!epoll_ || postedTasks_.wakeFd() < 0) {
        throwErrno("event loop: epoll_create1/eventfd");
    }
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = kWakeWatchId;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, postedTasks_.wakeFd(), &event) != 0) {
        throwErrno("event loop: epoll_ctl");
    }
}

EventLoop::WatchId EpollLoop::addWatch(int fd, Readiness wanted, WatchHandler handler)
{
    const WatchId id = ++lastWatchId_;
    WatchEntry watch{fd, Readiness::None, std::move(handler)};
    setInterest(id, watch, wanted);  // throws when the kernel refuses: nobody could remove it then
    watches_.emplace(id, std::move(watch));
    return id;
}

void EpollLoop::changeWatch(WatchId id, Readiness wanted)
{
    if (const auto found = watches_.find(id); found != watches_.end()) {
        setInterest(id, found->second, wanted);
    }
}

void EpollLoop::removeWatch(WatchId id) noexcept
{
    auto node = watches_.extract(id);
    if (node.empty()) {
        return;
    }
    if (node.mapped().wanted != Readiness::None) {
        epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, node.mapped().fd, nullptr);
    }
    // This may be the handler that is running, so it is destroyed at the end of the turn only.
    removedWatches_.push_back(std::move(node));
}

void EpollLoop::post(Task task)
{
    // Its own thread is awake: to be woken would cost it three system calls.
    const bool isAwake = turningLoop == this;
    postedTasks_.post(std::move(task), isAwake ? PostedTasks::Wakes::No : PostedTasks::Wakes::Yes);
}

void EpollLoop::stop() noexcept
{
    stopped_ = true;
    postedTasks_.wake();
}

void EpollLoop::run()
{
    while (!stopped_) {
        runOnce(SteadyClock::time_point::max());
    }
    stopped_ = false;
}

bool EpollLoop::runUntil(const std::function<bool()>& condition, Millis timeout)
{
    const auto deadline = SteadyClock::now() + timeout;
    while (!condition()) {
        if (SteadyClock::now() >= deadline) {
            return false;
        }
        runOnce(deadline);
    }
    return true;
}

void EpollLoop::setInterest(WatchId id, WatchEntry& watch, Readiness wanted)
{
    if (watch.wanted == wanted) {
        return;
    }
    // A descriptor that nobody wants events of is removed, because epoll would still report
    // hang-ups.
    const int operation = wanted == Readiness::None         ? EPOLL_CTL_DEL
                          : watch.wanted == Readiness::None ? EPOLL_CTL_ADD
                                                            : EPOLL_CTL_MOD;
    epoll_event event{};
    event.events = epollEvents(wanted);
    event.data.u64 = id;
    if (epoll_ctl(epoll_.get(), operation, watch.fd, &event) != 0) {
        throwErrno("event loop: epoll_ctl");
    }
    watch.wanted = wanted;
}

/// One turn: waits for events, timers or posted tasks, at most until `deadline`, and runs them.
void EpollLoop::runOnce(SteadyClock::time_point deadline)
{
    Events events{};
    const auto poll = [&](int timeout) {
        return epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout);
    };
    int count = poll(epollTimeoutMs(deadline));
    const auto polledAt = SteadyClock::now();
    const bool isInterrupted = count < 0;  // by a signal, as when the process was stopped
    const Turn turn(*this);
    for (int polls = 1; count > 0; ++polls) {
        for (int i = 0; i < count; ++i) {
            const auto& event = events[static_cast<std::size_t>(i)];
            dispatch(event.data.u64, event.events);
        }
        const bool mayBeMore = count == static_cast<int>(events.size()) && polls < kMostPolls;
        count = mayBeMore ? poll(0) : 0;
    }
    const auto run = [](Task& task) { task(); };
    postedTasks_.run(run);
    // Last, and none that became due since: after a long turn, a time-out must not end what has
    // come in time and only waits to be read.
    if (!isInterrupted) {
        timers_.runDue(polledAt, run);
    }
    // What a handler owns may remove further watches when it is destroyed.
    while (!removedWatches_.empty()) {
        const auto removed = std::exchange(removedWatches_, {});
    }
}

int EpollLoop::epollTimeoutMs(SteadyClock::time_point deadline) const
{
    if (!postedTasks_.empty()) {
        return 0;
    }
    deadline = std::min(deadline, timers_.next().value_or(deadline));
    if (deadline == SteadyClock::time_point::max()) {
        return -1;
    }
    // Rounded up, because the loop would have to wait again if it woke just before the deadline.
    const auto wait = std::chrono::ceil<Millis>(deadline - SteadyClock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(wait, 0, 60'000));
}

void EpollLoop::dispatch(WatchId id, std::uint32_t events)
{
    if (id == kWakeWatchId) {
        postedTasks_.clearWake();
    } else if (const auto found = watches_.find(id); found != watches_.end()) {
        auto& watch = found->second;
        const auto ready = readinessOf(events, watch.wanted);
        if (ready != Readiness::None) {
            watch.handler(ready);
        }
    }
}

}  // namespace restante
