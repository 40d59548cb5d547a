#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <algorithm>
#include <ctime>

namespace restante::gui::test {

/// Time that this thread has computed, ms: other programs on the machine do not count.
inline double threadMs()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

/// How much slower everything is under a sanitizer.
constexpr double slowness()
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 5;
#else
    return 1;
#endif
}

/// Beats every few ms as long as the window's thread lets it, and keeps the longest gaps.
class Heartbeat : public QObject {
public:
    Heartbeat()
    {
        wall_.start();
        last_ = threadMs();
        connect(&timer_, &QTimer::timeout, this, [this] {
            longestWait_ = std::max(longestWait_, static_cast<double>(wall_.restart()));
            const auto now = threadMs();
            longestWork_ = std::max(longestWork_, now - last_);
            last_ = now;
        });
        timer_.start(5);
    }
    /// Of the thread's own work between two beats, ms.
    double longestWork() const noexcept { return longestWork_; }
    /// By the clock on the wall, ms: also what others on the machine cost.
    double longestWait() const noexcept { return longestWait_; }

private:
    QTimer timer_;
    QElapsedTimer wall_;
    double last_ = 0;
    double longestWork_ = 0;
    double longestWait_ = 0;
};

}  // namespace restante::gui::test
