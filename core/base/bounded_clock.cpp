#include "core/base/bounded_clock.h"

namespace restante {

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
