#pragma once

#include "core/base/alert_rules.h"

#include <vector>

namespace restante::gui {

class Preferences;

/// The rules that the console can evaluate, in the order of the catalogue.
std::vector<AlertId> consoleAlerts();
/// The settings of the user; rules that the console cannot evaluate are off.
AlertSettings alertSettings(const Preferences& preferences);
/// Default values are not stored, so that they follow a later version.
void setAlertSetting(Preferences& preferences, AlertId rule, const AlertSetting& setting);
/// Whether a new alert beeps; off by default.
bool alertSound(const Preferences& preferences);
void setAlertSound(Preferences& preferences, bool on);

}  // namespace restante::gui
