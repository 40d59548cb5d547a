#pragma once

#include "core/base/clock.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace restante {

/// Hashed hierarchical timing wheel (Varghese & Lauck, SOSP 1987, scheme 7): arm and cancel are
/// O(1), ms resolution, no tick: the owner sleeps until next() and then calls advance(). *One
/// loop.*
///
/// Levels of 256 slots, each slot of a level as wide as the whole level below; occupancy bitmaps
/// find the next slot in a few instructions. A timer far away cascades down at most once a level.
class TimingWheel {
public:
    using TimerId = std::uint64_t;  ///< never 0, never reused (slot number + generation)
    using Task = std::function<void()>;

    explicit TimingWheel(TimePoint start);
    TimingWheel(const TimingWheel&) = delete;
    TimingWheel& operator=(const TimingWheel&) = delete;
    ~TimingWheel();

    /// A moment that has passed fires at the next advance(); armed by a task, a millisecond after
    /// that task.
    TimerId arm(TimePoint at, Task task);
    /// False when it has fired, was cancelled, or never was.
    bool cancel(TimerId id) noexcept;

    /// A moment no later than the earliest timer, at which advance() has something to do (fire or
    /// cascade); none when nothing is armed.
    std::optional<TimePoint> next() const noexcept;
    /// Fires everything due at `now`, in order of time, then of arming; a task may arm and cancel.
    /// Never fires early. A `now` that went back does nothing.
    void advance(TimePoint now);

    std::size_t size() const noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante
