#pragma once

#include "core/base/interface.h"

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
/// "expired" asks it; what reads the system clock otherwise only stamps, shows or measures.
class Clock : public Interface {
public:
    /// Never decreases. Any thread.
    virtual TimePoint now() const noexcept = 0;
};

/// The machine's wall clock made monotonic: it may stand still after a step back, never go back.
class SystemClock final : public Clock {
public:
    TimePoint now() const noexcept override;
};

/// A clock that carries another machine's time and so knows it only within bounds. now() is the
/// lower one: what is due by it is due there. *Any thread*, as every Clock.
class BoundedClock : public Clock {
public:
    /// The other machine's time is no later than this. Never before now().
    virtual TimePoint latest() const noexcept = 0;
};

/// The latest possible time by `clock`; its now() if it has no bounds. A duration that begins now
/// ("in 14 s") is counted from here, because now() may lag behind by a slow answer and the duration
/// would end too early.
TimePoint latestOf(const Clock& clock) noexcept;

/// The moment that is `wait` from now, never early; without a wait it is now() itself.
TimePoint momentAfter(const Clock& clock, Millis wait) noexcept;

}  // namespace restante
