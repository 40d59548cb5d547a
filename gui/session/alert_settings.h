#pragma once

#include "core/base/alert_rules.h"

#include <vector>

namespace restante::gui {

class Preferences;

/// The rules that the console can judge, in the order of the catalogue.
std::vector<AlertId> consoleAlerts();
/// What the user has made of the rules; those that the console cannot judge are off.
AlertSettings alertSettings(const Preferences& preferences);
/// What is as the rule comes is not stored, so that it follows a later version.
void setAlertSetting(Preferences& preferences, AlertId rule, const AlertSetting& setting);
/// Whether an alert that begins beeps; off unless somebody wants it.
bool alertSound(const Preferences& preferences);
void setAlertSound(Preferences& preferences, bool on);

}  // namespace restante::gui
