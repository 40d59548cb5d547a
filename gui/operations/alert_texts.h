#pragma once

#include "core/base/alert_evaluator.h"
#include "gui/theme/theme.h"

#include <QString>

namespace restante::gui {

/// Where what an alert is about can be mended, or looked into.
enum class AlertPlace { Overview, DeadJobs, RetryingJobs, Monitor };

/// "Late deliveries", "Nobody delivers": a few words.
QString alertTitle(AlertId rule);
/// "Ready jobs are 12 s late (p99)": a sentence with the value.
QString alertSentence(AlertId rule, double value);
/// What it was, after it has ended: "12 s late (p99) at most".
QString alertWorst(const AlertEpisode& alert);
/// When the rule fires, for whoever sets it: "Lateness (p99) above, s".
QString alertCondition(AlertId rule);
AlertPlace alertPlace(AlertId rule);
/// "Show Dead Jobs": what the link to that place says.
QString alertPlaceText(AlertPlace place);
Theme::Meaning alertMeaning(AlertId rule);
/// "critical", "warning".
QString alertSeverityText(AlertId rule);

}  // namespace restante::gui
