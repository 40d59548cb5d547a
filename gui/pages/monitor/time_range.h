#pragma once

#include "core/base/clock.h"

#include <array>
#include <cstddef>

namespace restante::gui {

/// A time range of the monitor and the length of its steps.
struct TimeRange {
    Millis span;
    Millis step;
};
/// 15 minutes to 7 days, 168 to 180 steps each: about as many as fit a chart.
constexpr std::array<TimeRange, 5> kTimeRanges{{{Millis{900'000}, Millis{5'000}},
                                                {Millis{3'600'000}, Millis{20'000}},
                                                {Millis{21'600'000}, Millis{120'000}},
                                                {Millis{86'400'000}, Millis{480'000}},
                                                {Millis{604'800'000}, Millis{3'600'000}}}};

/// The half-open span [from, to). *Value.*
struct TimeSpan {
    TimePoint from{};
    TimePoint to{};

    Millis length() const { return to - from; }
    friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};
/// Limits of a zoomed span: at least six of the shortest steps, at most 31 days of the longest.
inline constexpr Millis kShortestSpan{30'000};
inline constexpr Millis kLongestSpan{31LL * 86'400'000};
/// The index in kTimeRanges of the shortest steps with which the span fits a chart; of the longest
/// ones where it fits with none.
std::size_t rangeIndexFor(const TimeSpan& span);

}  // namespace restante::gui
