#pragma once

#include "core/base/clock.h"

#include <vector>

namespace restante::gui {

/// Where the lines of a grid are: from 0 to a round number at or above `highest`, at most `most`
/// steps of 1, 2 or 5 times a power of ten. `highest` of 0 and below counts as 1.
std::vector<double> valueTicks(double highest, int most);

/// As valueTicks, in ms, for lengths of time: steps that are round in seconds, minutes, hours.
std::vector<double> spanTicks(double highest, int most);

/// Round moments in [from, to], at most `most`, counted in local time: full hours stay full hours
/// in a zone that is `offset` ahead of UTC.
std::vector<TimePoint> timeTicks(TimePoint from, TimePoint to, int most, Millis offset);

}  // namespace restante::gui
