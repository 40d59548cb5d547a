#pragma once

#include "core/base/clock.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace restante {

/// The conditions about which Prometheus, the console or both alert whoever runs Restante.
enum class AlertId {
    StoreAway,
    NobodyDelivers,
    Late,
    Dead,
    DeliveriesFail,
    JournalDown,
    JournalBehind,
    Refuses,
    Unreadable,
    Count_
};
inline constexpr auto kAlertCount = static_cast<std::size_t>(AlertId::Count_);

enum class AlertSeverity { Warning, Critical };

/// One row of the catalogue of alerts. A test compares resources/prometheus/restante.rules.yml with
/// it. *Value.*
struct AlertRule {
    enum class Compare { Above, Equals };
    enum class Unit { Count, Seconds, Share };
    enum Seen : unsigned { ByPrometheus = 1, ByConsole = 2, ByBoth = 3 };

    AlertId id;
    std::string_view name;  ///< of the alert in Prometheus, and of its settings
    AlertSeverity severity;
    Compare compare;
    double threshold;
    Unit unit;
    Millis holdTime;  ///< how long the condition must hold before the alert; 0 = alert at once
    Millis window;    ///< the time over which the value is taken; 0 = the current value
    Seen seen;
    std::string_view valueText;  ///< describes the compared value, for documents
    std::string_view action;     ///< what to do about it
};

/// In the order of AlertId.
std::span<const AlertRule> alertRules();
const AlertRule& alertRule(AlertId id);
/// "> 5 s", "= 0", "> 20 %".
std::string conditionText(const AlertRule& rule);

/// What a user has set for a rule. *Value.*
struct AlertSetting {
    bool on = true;
    double threshold = 0;
    Millis holdTime{0};

    static AlertSetting of(const AlertRule& rule) { return {true, rule.threshold, rule.holdTime}; }
    friend bool operator==(const AlertSetting&, const AlertSetting&) = default;
};
using AlertSettings = std::array<AlertSetting, kAlertCount>;
/// The defaults, from the rules.
AlertSettings standardAlertSettings();

}  // namespace restante
