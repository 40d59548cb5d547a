#pragma once

#include "core/base/clock.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace restante::redis {

/// Generates the scores of lanes: the due time in ms plus a fraction that grows with each job of
/// the same millisecond, so that jobs are claimed in the order in which this process pushed them.
/// Readers floor the score. *One loop.*
///
/// A double has 53 bits: 41 for milliseconds until 2039 (42 until 2109, at half the fractions),
/// which leaves 12 for the fraction. Jobs beyond that, or of other processes, are ordered by id.
class LaneScores {
public:
    /// The score of the next job that is due then, as Redis reads it: "1700000000000.25".
    std::string nextScore(TimePoint due)
    {
        const std::int64_t ms = std::max<std::int64_t>(0, toEpochMs(due));
        DueCounter& counter = counters_[static_cast<std::size_t>(ms) % counters_.size()];
        if (counter.due != due) {
            counter = {due, 0};
        }
        const double fraction = static_cast<double>(counter.next) / kFractions;
        counter.next = std::min(counter.next + 1, kFractions - 1);
        return fmt::format("{}", static_cast<double>(ms) + fraction);
    }

private:
    static constexpr std::uint32_t kFractions = 4096;
    struct DueCounter {
        TimePoint due{};
        std::uint32_t next = 0;
    };
    /// Remembered by due time; a collision only costs the order of two jobs of one millisecond.
    std::array<DueCounter, 1024> counters_{};
};

}  // namespace restante::redis
