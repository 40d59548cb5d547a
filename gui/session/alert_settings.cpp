#include "gui/session/alert_settings.h"

#include "gui/base/preferences.h"

#include <algorithm>

namespace restante::gui {

namespace {

/// One day, the range of the field.
constexpr qint64 kMaxHoldTimeMs = 24LL * 3'600'000;

QString keyOf(AlertId rule, QLatin1String part)
{
    const auto name = alertRule(rule).name;
    return QStringLiteral("alerts/%1/%2")
        .arg(QLatin1String(name.data(), static_cast<qsizetype>(name.size())), part);
}

const auto kOn = QLatin1String("on");
const auto kThreshold = QLatin1String("threshold");
const auto kHoldTime = QLatin1String("holdsMs");
const auto kSound = QStringLiteral("alerts/sound");

}  // namespace

std::vector<AlertId> consoleAlerts()
{
    std::vector<AlertId> alerts;
    for (const auto& rule : alertRules()) {
        if ((rule.seen & AlertRule::ByConsole) != 0) {
            alerts.push_back(rule.id);
        }
    }
    return alerts;
}

AlertSettings alertSettings(const Preferences& preferences)
{
    auto settings = standardAlertSettings();
    for (const auto& rule : alertRules()) {
        auto& setting = settings[static_cast<std::size_t>(rule.id)];
        if ((rule.seen & AlertRule::ByConsole) == 0) {
            setting.on = false;
            continue;
        }
        setting.on = preferences.value(keyOf(rule.id, kOn), true).toBool();
        if (rule.compare == AlertRule::Compare::Above) {
            const auto threshold =
                preferences.value(keyOf(rule.id, kThreshold), setting.threshold).toDouble();
            setting.threshold = std::max(0.0, threshold);
        }
        const auto holdTimeMs = preferences.value(keyOf(rule.id, kHoldTime),
                                                  static_cast<qint64>(setting.holdTime.count()));
        setting.holdTime = Millis{std::clamp<qint64>(holdTimeMs.toLongLong(), 0, kMaxHoldTimeMs)};
    }
    return settings;
}

void setAlertSetting(Preferences& preferences, AlertId rule, const AlertSetting& setting)
{
    const auto standard = AlertSetting::of(alertRule(rule));
    const auto store = [&](QLatin1String part, const QVariant& value, bool isStandard) {
        const auto key = keyOf(rule, part);
        if (isStandard) {
            if (preferences.value(key).isValid()) {
                preferences.setValue(key, {});
            }
        } else {
            preferences.setValue(key, value);
        }
    };
    store(kOn, setting.on, setting.on == standard.on);
    store(kThreshold, setting.threshold, setting.threshold == standard.threshold);
    store(kHoldTime, static_cast<qint64>(setting.holdTime.count()),
          setting.holdTime == standard.holdTime);
}

bool alertSound(const Preferences& preferences)
{
    return preferences.value(kSound, false).toBool();
}

void setAlertSound(Preferences& preferences, bool on)
{
    preferences.setValue(kSound, on);
}

}  // namespace restante::gui
