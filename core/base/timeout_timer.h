#pragma once

#include "core/base/event_loop.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace restante {

/// The timer of a time-out for what others do, or of a sweep over such time-outs. When it is late,
/// its loop was busy or the process suspended, and what others did in time may still lie in a
/// socket: then it lets the loop read for a moment, once, before it calls. It tells how late it
/// was, which is not to be counted against others. *One loop.*
class TimeoutTimer {
public:
    using Clock = std::chrono::steady_clock;
    /// `late` is not negative, and has no part of that moment.
    using Handler = std::function<void(Clock::time_point now, Clock::duration late)>;

    explicit TimeoutTimer(EventLoop& loop) noexcept : timer_(loop) {}

    /// Calls `handler` once, after `after`; later by half a second, or by `after` if that is less,
    /// when it is late by as much.
    void arm(Millis after, Handler handler)
    {
        schedule(after, std::min(after, Millis{500}), Clock::duration::zero(), std::move(handler));
    }
    void cancel() noexcept { timer_.cancel(); }
    bool armed() const noexcept { return timer_.armed(); }

private:
    void schedule(Millis after, Millis moment, Clock::duration lateBefore, Handler handler)
    {
        timer_.arm(after, [this, moment, lateBefore, due = Clock::now() + after,
                           handler = std::move(handler)] {
            const auto now = Clock::now();
            const auto late = std::max(now - due, Clock::duration::zero());
            if (late >= moment && lateBefore == Clock::duration::zero()) {
                return schedule(moment, moment, late, handler);
            }
            handler(now, lateBefore + late);
        });
    }

    Timer timer_;
};

}  // namespace restante
