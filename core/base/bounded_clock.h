#pragma once

#include "core/base/clock.h"

namespace restante {

/// A clock that carries another machine's time and so knows it only within bounds. now() is the
/// lower one: what is due by it is due there. *Any thread*, as every Clock.
class BoundedClock : public Clock {
public:
    /// The other machine's time is no later than this. Never before now().
    virtual TimePoint latest() const noexcept = 0;
};

/// The latest that it can be by `clock`; of one without bounds, its now(). A length of time that
/// begins now ("in 14 s") is counted from here: counted from now(), which may lie a slow answer
/// behind, it would be over too early by that much.
TimePoint latestOf(const Clock& clock) noexcept;

/// The moment that is `wait` from now, never early; without a wait it is now() itself.
TimePoint momentAfter(const Clock& clock, Millis wait) noexcept;

}  // namespace restante
