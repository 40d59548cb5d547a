#pragma once

#include "core/base/event_loop.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace restante {

/// The timer of a sweep that ends what has waited too long. It tells by how much it is late: then
/// its loop was busy, or the process was suspended, and nobody was served, which is not the fault
/// of those who waited. *One loop.*
class SweepTimer {
public:
    using Clock = std::chrono::steady_clock;
    using Sweep = std::function<void(Clock::time_point now, Clock::duration late)>;

    explicit SweepTimer(EventLoop& loop) noexcept : timer_(loop) {}

    /// Calls `sweep` once, after `interval`; `late` is not negative.
    void arm(Millis interval, Sweep sweep)
    {
        timer_.arm(interval, [due = Clock::now() + interval, sweep = std::move(sweep)] {
            const auto now = Clock::now();
            sweep(now, std::max(now - due, Clock::duration::zero()));
        });
    }
    bool armed() const noexcept { return timer_.armed(); }

private:
    Timer timer_;
};

}  // namespace restante
