#pragma once

#include "core/base/alert_evaluator.h"
#include "gui/theme/theme.h"

#include <QString>

namespace restante::gui {

/// The page where the cause of an alert can be examined or fixed.
enum class AlertTarget { Overview, DeadJobs, RetryingJobs, Monitor };

/// "Jobs are late", "Nobody delivers": a few words.
QString alertTitle(AlertId rule);
/// "Ready jobs are 12 s late (p99)": a sentence with the value.
QString alertSentence(AlertId rule, double value);
/// The worst value of an alert that has ended: "12 s at most"; empty for rules without such a
/// value.
QString alertPeakText(const AlertEpisode& alert);
/// The condition beside the field for its threshold: "Lateness of ready jobs (p99) above"; empty
/// for rules that only Prometheus has.
QString alertCondition(AlertId rule);
AlertTarget alertTarget(AlertId rule);
/// "Show Dead Jobs": the text of the link to that page.
QString alertTargetText(AlertTarget target);
Theme::Severity alertSeverity(AlertId rule);
/// "critical", "warning".
QString alertSeverityText(AlertId rule);

}  // namespace restante::gui
