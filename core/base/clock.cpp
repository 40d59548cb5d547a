#include "core/base/clock.h"

#include <algorithm>
#include <atomic>

namespace restante {

TimePoint SystemClock::now() const noexcept
{
    // Shared by the process, so that two clocks never disagree about what is past.
    static std::atomic<std::int64_t> latest{0};
    const auto wall = std::chrono::floor<Millis>(std::chrono::system_clock::now());
    const auto wallMs = toEpochMs(wall);
    auto before = latest.load(std::memory_order_relaxed);
    while (before < wallMs &&
           !latest.compare_exchange_weak(before, wallMs, std::memory_order_relaxed)) {
    }
    return fromEpochMs(std::max(before, wallMs));
}

TimePoint latestOf(const Clock& clock) noexcept
{
    const auto* bounded = dynamic_cast<const BoundedClock*>(&clock);
    return bounded != nullptr ? bounded->latest() : clock.now();
}

TimePoint momentAfter(const Clock& clock, Millis wait) noexcept
{
    return wait > Millis{0} ? latestOf(clock) + wait : clock.now() + wait;
}

}  // namespace restante
