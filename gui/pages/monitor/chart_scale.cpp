#include "gui/pages/monitor/chart_scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace restante::gui {

namespace {

std::vector<double> upTo(double highest, double step)
{
    std::vector<double> ticks{0};
    while (ticks.back() < highest) {
        ticks.push_back(step * static_cast<double>(ticks.size()));
    }
    return ticks;
}

/// Seconds that people count in.
constexpr std::array<std::int64_t, 23> kRoundSeconds{
    1,      2,      5,       10,      15,        30,        60,       120,
    300,    600,    900,     1'800,   3'600,     7'200,     10'800,   21'600,
    43'200, 86'400, 172'800, 604'800, 1'209'600, 2'592'000, 7'776'000};

}  // namespace

std::vector<double> valueTicks(double highest, int most)
{
    const auto top = highest > 0 ? highest : 1.0;
    auto power = std::pow(10.0, std::floor(std::log10(top / most)));
    for (;; power *= 10) {
        for (const auto digit : {1.0, 2.0, 5.0}) {
            if (std::ceil(top / (digit * power) - 1e-9) <= most) {
                return upTo(top * (1 - 1e-9), digit * power);
            }
        }
    }
}

std::vector<double> spanTicks(double highest, int most)
{
    if (highest <= 1'000.0 * most) {
        return valueTicks(std::max(highest, 1.0), most);
    }
    for (const auto seconds : kRoundSeconds) {
        const auto step = static_cast<double>(seconds) * 1'000.0;
        if (std::ceil(highest / step) <= most) {
            return upTo(highest, step);
        }
    }
    return valueTicks(highest, most);
}

std::vector<TimePoint> timeTicks(TimePoint from, TimePoint to, int most, Millis offset)
{
    const auto span = (to - from).count();
    std::vector<TimePoint> ticks;
    for (const auto seconds : kRoundSeconds) {
        const auto step = seconds * 1'000;
        if (span / step >= most) {
            continue;
        }
        const auto local = from.time_since_epoch().count() + offset.count();
        auto at = (local + step - 1) / step * step - offset.count();
        for (; at <= to.time_since_epoch().count(); at += step) {
            ticks.push_back(TimePoint{Millis{at}});
        }
        return ticks;
    }
    return ticks;
}

}  // namespace restante::gui
