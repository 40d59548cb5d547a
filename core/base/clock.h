#pragma once

#include <chrono>
#include <cstdint>

namespace restante {

using Millis = std::chrono::milliseconds;

/// Milliseconds since the Unix epoch, the only kind of time that is stored. *Value.*
using TimePoint = std::chrono::time_point<std::chrono::system_clock, Millis>;

constexpr std::int64_t toEpochMs(TimePoint at) noexcept
{
    return at.time_since_epoch().count();
}
constexpr TimePoint fromEpochMs(std::int64_t ms) noexcept
{
    return TimePoint{Millis{ms}};
}

/// The time of day, as a port so that tests can set it. Every decision about "due", "lapsed" or
/// "expired" asks it; nothing else reads the system clock.
class Clock {
public:
    Clock() = default;
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    virtual ~Clock() = default;

    /// Never decreases. Any thread.
    virtual TimePoint now() const noexcept = 0;
};

/// The machine's wall clock made monotonic: it may stand still after a step back, never go back.
class SystemClock final : public Clock {
public:
    TimePoint now() const noexcept override;
};

}  // namespace restante
