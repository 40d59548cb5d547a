#include "gui/theme/rate_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace restante::gui {

namespace {

/// A smaller rate is shown as "<0.001".
constexpr double kMinShownRate = 0.001;

struct RateUnitEntry {
    RateUnit unit;
    double seconds;
    const char* text;
};
constexpr std::array<RateUnitEntry, 4> kRateUnits{
    {{RateUnit::Second, 1, QT_TRANSLATE_NOOP("restante::gui::Chart", "%1/s")},
     {RateUnit::Minute, 60, QT_TRANSLATE_NOOP("restante::gui::Chart", "%1/min")},
     {RateUnit::Hour, 3'600, QT_TRANSLATE_NOOP("restante::gui::Chart", "%1/h")},
     {RateUnit::Day, 86'400, QT_TRANSLATE_NOOP("restante::gui::Chart", "%1/d")}}};

const RateUnitEntry& entryOf(RateUnit unit)
{
    return kRateUnits[static_cast<std::size_t>(unit)];
}

/// No decimals of what is 100 or more, one of what is 1 or more, two of what is 0.1 or more, else
/// three; without zeros at the end.
QString digits(double value)
{
    const QLocale locale;
    if (value > 0 && value < kMinShownRate) {
        return u'<' + locale.toString(kMinShownRate, 'f', 3);
    }
    const auto maxDecimals = value >= 100 ? 0 : value >= 1 || value == 0 ? 1 : value >= 0.1 ? 2 : 3;
    const auto power = std::pow(10.0, maxDecimals);
    const auto rounded = std::round(value * power) / power;
    int decimals = 0;
    while (decimals < maxDecimals &&
           std::abs(rounded * std::pow(10.0, decimals) -
                    std::round(rounded * std::pow(10.0, decimals))) > 1e-9) {
        ++decimals;
    }
    return locale.toString(rounded, 'f', decimals);
}

}  // namespace

RateUnit rateUnitOf(double perSecond)
{
    const auto found =
        std::find_if(kRateUnits.begin(), kRateUnits.end(), [&](const RateUnitEntry& each) {
            // 60 a minute that rounding has made a little less are 1 a second.
            return perSecond * each.seconds >= 1 - 1e-9;
        });
    if (perSecond <= 0) {
        return RateUnit::Second;
    }
    return found == kRateUnits.end() ? RateUnit::Day : found->unit;
}

double secondsPerUnit(RateUnit unit)
{
    return entryOf(unit).seconds;
}

QString rateText(double perSecond, RateUnit unit)
{
    const auto& entry = entryOf(unit);
    return QCoreApplication::translate("restante::gui::Chart", entry.text)
        .arg(digits(perSecond * entry.seconds));
}

QString rateText(double perSecond)
{
    return rateText(perSecond, rateUnitOf(perSecond));
}

}  // namespace restante::gui
