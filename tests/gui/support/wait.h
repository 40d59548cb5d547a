#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>

#include <functional>

namespace restante::gui::test {

/// Turns the event loop until the condition holds; false when it still does not after 30 s.
inline bool until(const std::function<bool()>& condition)
{
    constexpr qint64 kPatienceMs = 30'000;
    constexpr int kTurnMs = 20;
    QElapsedTimer since;
    since.start();
    while (!condition()) {
        if (since.elapsed() > kPatienceMs) {
            return false;
        }
        QCoreApplication::processEvents(QEventLoop::AllEvents, kTurnMs);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    return true;
}

/// Lets what has been posted run, timers of 0 ms included.
inline void turn()
{
    for (int times = 0; times < 5; ++times) {
        QCoreApplication::processEvents(QEventLoop::AllEvents);
    }
}

}  // namespace restante::gui::test
