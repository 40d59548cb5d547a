#include "sipplugin/sofia/su_loop.h"

#include "core/base/log.h"

// The magic types must be defined before the first sofia header.
#define SU_ROOT_MAGIC_T void
#define SU_TIMER_ARG_T void
#define SU_WAKEUP_ARG_T void
#include <sofia-sip/su.h>
#include <sofia-sip/su_wait.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <sys/timerfd.h>
#include <unistd.h>

namespace restante::sip {

namespace {

/// Throws when `fd` is invalid: the loop cannot work without it.
void throwUnlessValid(int fd, const char* what)
{
    if (fd < 0) {
        throw std::runtime_error(std::string{"cannot make the "} + what +
                                 " of the SIP loop: " + std::strerror(errno) +
                                 "; raise the limit of open files (ulimit -n)");
    }
}

int sofiaEvents(Readiness wanted)
{
    int events = 0;
    events |= has(wanted, Readiness::Readable) ? SU_WAIT_IN : 0;
    events |= has(wanted, Readiness::Writable) ? SU_WAIT_OUT : 0;
    return events;
}

su_root_t* newRoot()
{
    su_init();
    auto* root = su_root_create(nullptr);
    if (root == nullptr) {
        throw std::runtime_error("cannot make sofia's event loop: " +
                                 std::string{std::strerror(errno)});
    }
    // Everything runs on the calling thread; with threading, clones would be threads.
    su_root_threading(root, 0);
    return root;
}

/// Calls a handler. It should not throw; an exception must not pass through sofia's C frames.
template <class Call>
void callAndLogException(const Call& call) noexcept
{
    try {
        call();
    } catch (const std::exception& thrown) {
        log::error("loop", "a handler threw: {}", thrown.what());
    }
}

}  // namespace

struct SuLoop::WatchEntry : std::enable_shared_from_this<WatchEntry> {
    WatchEntry(int descriptor, WatchHandler watchHandler)
        : fd(descriptor),
          handler(std::move(watchHandler))
    {
    }

    static int onEvent(su_root_magic_t*, su_wait_t* wait, su_wakeup_arg_t* arg) noexcept
    {
        auto& entry = *static_cast<WatchEntry*>(arg);
        const auto keep = entry.shared_from_this();  // the handler may remove its own watch
        const int events = su_wait_events(wait, entry.fd);
        const bool broken = (events & (SU_WAIT_ERR | SU_WAIT_HUP)) != 0;
        auto ready = Readiness::None;
        if (has(entry.wanted, Readiness::Readable) && (broken || (events & SU_WAIT_IN) != 0)) {
            ready = ready | Readiness::Readable;
        }
        if (has(entry.wanted, Readiness::Writable) && (broken || (events & SU_WAIT_OUT) != 0)) {
            ready = ready | Readiness::Writable;
        }
        if (ready != Readiness::None) {
            callAndLogException([&] { entry.handler(ready); });
        }
        return 0;
    }

    int fd;
    int index = 0;  ///< sofia's, 0 = not registered
    Readiness wanted = Readiness::None;
    WatchHandler handler;
};

SuLoop::SuLoop() : SuLoop({newRoot(), &su_root_destroy}, nullptr) {}

SuLoop::SuLoop(su_root_t* root) : SuLoop({nullptr, &su_root_destroy}, root) {}

SuLoop::SuLoop(RootHandle ownRoot, su_root_t* root)
    : ownRoot_(std::move(ownRoot)),
      root_(ownRoot_ ? ownRoot_.get() : root),
      timerFd_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC))
{
    throwUnlessValid(timerFd_.get(), "timer");
    throwUnlessValid(posted_.wakeFd(), "wake-up");
    addWatch(timerFd_.get(), Readiness::Readable, [this](Readiness) { fireTimers(); });
    addWatch(posted_.wakeFd(), Readiness::Readable, [this](Readiness) {
        posted_.clearWake();
        posted_.run([](Task& task) { callAndLogException(task); });
    });
}

SuLoop::~SuLoop()
{
    for (auto& [id, entry] : watches_) {
        deregister(*entry);
    }
}

SuLoop::WatchId SuLoop::addWatch(int fd, Readiness wanted, WatchHandler handler)
{
    auto entry = std::make_shared<WatchEntry>(fd, std::move(handler));
    registerEntry(*entry, wanted);
    const auto id = ++lastId_;
    watches_.emplace(id, std::move(entry));
    return id;
}

void SuLoop::changeWatch(WatchId id, Readiness wanted)
{
    const auto found = watches_.find(id);
    if (found == watches_.end() || found->second->wanted == wanted) {
        return;
    }
    auto& entry = *found->second;
    if (entry.index != 0 && wanted != Readiness::None) {
        entry.wanted = wanted;
        su_root_eventmask(root_, entry.index, entry.fd, sofiaEvents(wanted));
        return;
    }
    deregister(entry);
    registerEntry(entry, wanted);
}

void SuLoop::removeWatch(WatchId id) noexcept
{
    if (const auto found = watches_.find(id); found != watches_.end()) {
        deregister(*found->second);
        watches_.erase(found);
    }
}

/// With `None` it is not registered, because epoll reports hang-ups even for an empty mask.
void SuLoop::registerEntry(WatchEntry& entry, Readiness wanted)
{
    entry.wanted = wanted;
    if (wanted == Readiness::None) {
        return;
    }
    su_wait_t wait[1] = {SU_WAIT_INIT};
    su_wait_create(wait, entry.fd, sofiaEvents(wanted));
    entry.index = su_root_register(root_, wait, &WatchEntry::onEvent, &entry, su_pri_normal);
    if (entry.index < 0) {
        entry.index = 0;
        throw std::runtime_error("cannot watch descriptor " + std::to_string(entry.fd) + ": " +
                                 std::strerror(errno));
    }
}

void SuLoop::deregister(WatchEntry& entry) noexcept
{
    if (const int index = std::exchange(entry.index, 0); index != 0) {
        su_root_deregister(root_, index);
    }
}

SuLoop::TimerId SuLoop::armTimer(Millis after, Task task)
{
    const auto before = timers_.next();
    const auto id = timers_.arm(after, std::move(task));
    if (timers_.next() != before) {
        armTimerFd();
    }
    return id;
}

void SuLoop::armTimerFd() noexcept
{
    itimerspec alarm{};
    if (const auto next = timers_.next()) {
        const auto due = next->time_since_epoch();
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(due);
        alarm.it_value.tv_sec = seconds.count();
        alarm.it_value.tv_nsec = std::chrono::nanoseconds(due - seconds).count();
    }
    ::timerfd_settime(timerFd_.get(), TFD_TIMER_ABSTIME, &alarm, nullptr);
}

/// In a later turn, behind what is ready already: after a long turn, a time-out must not end what
/// has come in time and only waits to be read.
void SuLoop::fireTimers()
{
    std::uint64_t count = 0;
    [[maybe_unused]] const auto bytesRead = ::read(timerFd_.get(), &count, sizeof count);
    post([this, now = TimerQueue::SteadyClock::now()] {
        timers_.runDue(now, [](Task& task) { callAndLogException(task); });
        armTimerFd();
    });
}

void SuLoop::run()
{
    su_root_run(root_);
}

void SuLoop::stop()
{
    su_root_break(root_);
}

void SuLoop::turn(Millis timeout)
{
    su_root_step(root_, timeout.count());
}

bool SuLoop::runUntil(const std::function<bool()>& reached, Millis timeout)
{
    const auto end = std::chrono::steady_clock::now() + timeout;
    while (!reached()) {
        const auto left = std::chrono::ceil<Millis>(end - std::chrono::steady_clock::now());
        if (left <= Millis{0}) {
            return false;
        }
        turn(left);
    }
    return true;
}

}  // namespace restante::sip
