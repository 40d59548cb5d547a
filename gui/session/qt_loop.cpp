#include "gui/session/qt_loop.h"

#include <QCoreApplication>
#include <QSocketNotifier>
#include <QTimer>

#include <algorithm>
#include <chrono>

namespace restante::gui {

namespace {

using SteadyClock = std::chrono::steady_clock;

/// Disconnects at once and deletes later: the object may be emitting its signal.
template <class T>
struct DeleteLater {
    void operator()(T* object) const noexcept
    {
        object->disconnect();
        object->deleteLater();
    }
};

}  // namespace

struct QtLoop::WatchEntry {
    WatchHandler handler;
    QSocketNotifier* read = nullptr;
    QSocketNotifier* write = nullptr;

    void setReadiness(Readiness wanted) const
    {
        read->setEnabled(has(wanted, Readiness::Readable));
        write->setEnabled(has(wanted, Readiness::Writable));
    }
};

struct QtLoop::TimerEntry {
    Task task;
    SteadyClock::time_point deadline;
    std::unique_ptr<QTimer, DeleteLater<QTimer>> timer;
};

QtLoop::QtLoop() = default;

QtLoop::~QtLoop()
{
    // What a closure holds may take back its timers when it goes.
    QCoreApplication::removePostedEvents(&context_);
    for (const auto& [id, watch] : watches_) {
        watch->setReadiness(Readiness::None);
    }
}

EventLoop::WatchId QtLoop::addWatch(int fd, Readiness wanted, WatchHandler handler)
{
    const auto id = ++lastId_;
    auto watch = std::make_shared<WatchEntry>();
    watch->handler = std::move(handler);
    watch->read = new QSocketNotifier(fd, QSocketNotifier::Read, &context_);
    watch->write = new QSocketNotifier(fd, QSocketNotifier::Write, &context_);
    watch->setReadiness(wanted);
    const auto callHandler = [this, id](Readiness readiness) {
        // Found anew: the watch may have been removed since the notice was sent.
        if (const auto found = watches_.find(id); found != watches_.end()) {
            const auto entry = found->second;
            entry->handler(readiness);
        }
    };
    QObject::connect(watch->read, &QSocketNotifier::activated, &context_,
                     [callHandler] { callHandler(Readiness::Readable); });
    QObject::connect(watch->write, &QSocketNotifier::activated, &context_,
                     [callHandler] { callHandler(Readiness::Writable); });
    watches_.emplace(id, std::move(watch));
    return id;
}

void QtLoop::changeWatch(WatchId id, Readiness wanted)
{
    if (const auto found = watches_.find(id); found != watches_.end()) {
        found->second->setReadiness(wanted);
    }
}

void QtLoop::removeWatch(WatchId id) noexcept
{
    const auto found = watches_.find(id);
    if (found == watches_.end()) {
        return;
    }
    // The descriptor is closed next, and its number given out again: nobody listens to it any more.
    found->second->setReadiness(Readiness::None);
    found->second->read->deleteLater();
    found->second->write->deleteLater();
    watches_.erase(found);
}

EventLoop::TimerId QtLoop::armTimer(Millis after, Task task)
{
    const auto id = ++lastId_;
    auto entry = std::make_shared<TimerEntry>();
    entry->task = std::move(task);
    entry->deadline = SteadyClock::now() + std::max(after, Millis{0});
    entry->timer.reset(new QTimer(&context_));
    entry->timer->setSingleShot(true);
    entry->timer->setTimerType(Qt::PreciseTimer);
    QObject::connect(entry->timer.get(), &QTimer::timeout, &context_, [this, id] {
        const auto found = timers_.find(id);
        if (found == timers_.end()) {
            return;
        }
        if (SteadyClock::now() < found->second->deadline) {
            return startTimer(*found->second);  // Qt's timers may be early by a part of a ms
        }
        const auto expired = found->second;
        timers_.erase(found);
        expired->task();
    });
    timers_.emplace(id, entry);
    startTimer(*entry);
    return id;
}

void QtLoop::startTimer(const TimerEntry& timer)
{
    const auto left = std::chrono::ceil<Millis>(timer.deadline - SteadyClock::now());
    timer.timer->start(std::max(left, Millis{0}));
}

void QtLoop::cancelTimer(TimerId id) noexcept
{
    timers_.erase(id);
}

void QtLoop::post(Task task)
{
    QMetaObject::invokeMethod(
        &context_, [task = std::move(task)] { task(); }, Qt::QueuedConnection);
}

}  // namespace restante::gui
