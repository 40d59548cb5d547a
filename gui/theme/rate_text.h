#pragma once

#include <QString>

namespace restante::gui {

/// The unit of time of a rate.
enum class RateUnit { Second, Minute, Hour, Day };

/// The shortest unit in which so many jobs a second are at least one: what happens twice a minute
/// is not a fraction of a second's job. 0 and below: the second.
RateUnit rateUnitOf(double perSecond);

/// 60 for the minute.
double secondsPerUnit(RateUnit unit);

/// The one way in which the console writes rates: "12.5/s", "2/min", "0.03/s", with three
/// decimals at most. What is not nothing never reads 0.
QString rateText(double perSecond, RateUnit unit);
/// In the unit of rateUnitOf().
QString rateText(double perSecond);

}  // namespace restante::gui
