#pragma once

#include "core/base/clock.h"

#include <array>
#include <cstddef>

namespace restante::gui {

/// What the monitor can look back at: so long, in steps of so long.
struct TimeRange {
    Millis span;
    Millis step;
};
/// 15 minutes to 7 days, 168 to 180 steps each: about as many as a chart has room for.
constexpr std::array<TimeRange, 5> kTimeRanges{{{Millis{900'000}, Millis{5'000}},
                                                {Millis{3'600'000}, Millis{20'000}},
                                                {Millis{21'600'000}, Millis{120'000}},
                                                {Millis{86'400'000}, Millis{480'000}},
                                                {Millis{604'800'000}, Millis{3'600'000}}}};

/// A stretch of the time axis: [from, to). *Value.*
struct TimeSpan {
    TimePoint from{};
    TimePoint to{};

    Millis length() const { return to - from; }
    friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};
/// What charts can show of a free choice: fewer than six of the shortest steps say nothing, and
/// more than 31 days are too many of the longest.
inline constexpr Millis kShortestSpan{30'000};
inline constexpr Millis kLongestSpan{31LL * 86'400'000};
/// Which of kTimeRanges has the steps for a span: the shortest of which a chart has room for.
std::size_t stepsFor(const TimeSpan& span);

}  // namespace restante::gui
