#pragma once

#include "core/base/event_loop.h"

#include <QObject>

#include <memory>
#include <unordered_map>

namespace restante::gui {

/// The EventLoop port on the Qt event loop of the thread that constructs it.
/// *One loop*, but post() on any thread.
class QtLoop final : public EventLoop {
public:
    QtLoop();
    ~QtLoop() override;

    WatchId addWatch(int fd, Readiness wanted, WatchHandler handler) override;
    void changeWatch(WatchId id, Readiness wanted) override;
    void removeWatch(WatchId id) noexcept override;
    TimerId armTimer(Millis after, Task task) override;
    void cancelTimer(TimerId id) noexcept override;
    void post(Task task) override;

private:
    struct WatchEntry;
    struct TimerEntry;

    static void startTimer(const TimerEntry& timer);

    QObject context_;  ///< parent of notifiers and timers
    std::uint64_t lastId_ = 0;
    std::unordered_map<WatchId, std::shared_ptr<WatchEntry>> watches_;
    std::unordered_map<TimerId, std::shared_ptr<TimerEntry>> timers_;
};

}  // namespace restante::gui
