#include "core/base/alert_rules.h"

#include <fmt/format.h>
#include <iterator>

namespace restante {

namespace {

using Rule = AlertRule;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

/// The console reads metrics of no daemon, so what only a daemon counts it does not know.
constexpr AlertRule kRules[]{
    {AlertId::StoreAway, "RestanteStoreAway", AlertSeverity::Critical, Rule::Compare::Equals, 0,
     Rule::Unit::Count, seconds{15}, Millis{0}, Rule::ByConsole,
     "connections of the console to the store",
     R"(See the banner of the console: it says what Redis, the tunnel or the network answers.)"},
    {AlertId::NobodyDelivers, "RestanteNobodyDelivers", AlertSeverity::Critical,
     Rule::Compare::Equals, 0, Rule::Unit::Count, minutes{1}, Millis{0}, Rule::ByBoth,
     "daemons that serve the store and deliver",
     R"(See "systemctl status restanted" and "restantectl doctor".)"},
    {AlertId::Late, "RestanteLate", AlertSeverity::Warning, Rule::Compare::Above, 5,
     Rule::Unit::Seconds, minutes{5}, minutes{5}, Rule::ByBoth,
     "lateness, p99: Prometheus has that of the jobs that were given out, by channel; the console "
     "that of the jobs that are ready now",
     R"(See "restantectl top"; consumers or devices take less than comes, or Redis is slow.)"},
    {AlertId::Dead, "RestanteDead", AlertSeverity::Warning, Rule::Compare::Above, 20,
     Rule::Unit::Count, Millis{0}, hours{1}, Rule::ByBoth, "more dead jobs than an hour before",
     R"(See the reasons in the console's overview, or "restantectl list --state dead".)"},
    {AlertId::DeliveriesFail, "RestanteDeliveriesFail", AlertSeverity::Warning,
     Rule::Compare::Above, 0.2, Rule::Unit::Share, minutes{10}, minutes{10}, Rule::ByBoth,
     "attempts that fail, of those that end: Prometheus counts by channel, the console all of them",
     R"(See the attempts of a job that is retried, in the console or by "restantectl show".)"},
    {AlertId::JournalDown, "RestanteJournalDown", AlertSeverity::Warning, Rule::Compare::Equals, 0,
     Rule::Unit::Count, minutes{1}, Millis{0}, Rule::ByBoth,
     "journals at work: to Prometheus one whose database takes what is recorded, to the console "
     "one "
     "that somebody records into",
     R"(See the daemon's log for the database's own words.)"},
    {AlertId::JournalBehind, "RestanteJournalBehind", AlertSeverity::Warning, Rule::Compare::Above,
     30, Rule::Unit::Seconds, minutes{5}, Millis{0}, Rule::ByBoth,
     "how long the oldest event waits for the journal",
     R"(Its database takes less than comes; see "Journal" in docs/operations.md.)"},
    {AlertId::Refuses, "RestanteRefuses", AlertSeverity::Critical, Rule::Compare::Above, 0,
     Rule::Unit::Count, minutes{5}, minutes{5}, Rule::ByPrometheus,
     "calls a second that Redis refuses a daemon, or does not answer",
     R"(See "restantectl doctor"; Redis may be full (redis.max_memory), away or slow.)"},
    {AlertId::Unreadable, "RestanteUnreadable", AlertSeverity::Warning, Rule::Compare::Above, 0,
     Rule::Unit::Count, Millis{0}, Millis{0}, Rule::ByPrometheus,
     "records of a format that this version does not know",
     R"(They are of a newer version; bring that back before anything else.)"},
};
static_assert(std::size(kRules) == kAlertCount);

}  // namespace

std::span<const AlertRule> alertRules()
{
    return kRules;
}

const AlertRule& alertRule(AlertId id)
{
    return kRules[static_cast<std::size_t>(id)];
}

std::string conditionText(const AlertRule& rule)
{
    const auto sign = rule.compare == Rule::Compare::Above ? ">" : "=";
    switch (rule.unit) {
    case Rule::Unit::Count: return fmt::format("{} {}", sign, rule.threshold);
    case Rule::Unit::Seconds: return fmt::format("{} {} s", sign, rule.threshold);
    case Rule::Unit::Share: return fmt::format("{} {} %", sign, rule.threshold * 100);
    }
    return {};
}

AlertSettings standardAlertSettings()
{
    AlertSettings settings;
    for (const auto& rule : kRules) {
        settings[static_cast<std::size_t>(rule.id)] = AlertSetting::of(rule);
    }
    return settings;
}

}  // namespace restante
