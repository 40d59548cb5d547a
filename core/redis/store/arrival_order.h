#pragma once

#include "core/base/clock.h"

#include <array>
#include <cstdint>
#include <string>

namespace restante::redis {

/// Scores for lanes: the due time in ms plus a fraction that grows with each job of the same
/// millisecond, so that jobs come out in the order in which this process put them in. Readers floor
/// the score. *One loop.*
///
/// A double has 53 bits: 41 for milliseconds until 2039 (42 until 2109, at half the fractions),
/// which leaves 12 for the fraction. What does not fit, or was pushed by another process, is
/// ordered by id.
class ArrivalOrder {
public:
    /// The score as Redis reads it: "1700000000000.25".
    std::string score(TimePoint due);

private:
    static constexpr std::uint32_t kFractions = 4096;
    struct Slot {
        TimePoint due{};
        std::uint32_t next = 0;
    };
    /// Remembered by due time; a collision only costs the order of two jobs of one millisecond.
    std::array<Slot, 1024> slots_{};
};

}  // namespace restante::redis
