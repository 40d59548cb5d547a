#include "gui/operations/alert_texts.h"

#include "gui/theme/time_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>

namespace restante::gui {

namespace {

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(Alert)

public:
    static QString durationText(double seconds)
    {
        return TimeText::duration(Millis{std::llround(seconds * 1'000)});
    }
    static QString percent(double share)
    {
        return tr("%1 %", "a share").arg(QLocale().toString(std::llround(share * 100)));
    }
};

}  // namespace

QString alertTitle(AlertId rule)
{
    switch (rule) {
    case AlertId::StoreAway: return Texts::tr("Store away");
    case AlertId::NobodyDelivers: return Texts::tr("Nobody delivers");
    case AlertId::Late: return Texts::tr("Jobs are late");
    case AlertId::Dead: return Texts::tr("Jobs die");
    case AlertId::DeliveriesFail: return Texts::tr("Deliveries fail");
    case AlertId::JournalDown: return Texts::tr("Journal down");
    case AlertId::JournalBehind: return Texts::tr("Journal behind");
    case AlertId::Refuses: return Texts::tr("Redis refuses");
    case AlertId::Unreadable: return Texts::tr("Unreadable records");
    case AlertId::Count_: break;
    }
    return {};
}

QString alertSentence(AlertId rule, double value)
{
    switch (rule) {
    case AlertId::StoreAway: return Texts::tr("The store does not answer this console.");
    case AlertId::NobodyDelivers:
        return Texts::tr("No daemon delivers; messages and jobs wait, nothing is lost.");
    case AlertId::Late:
        return Texts::tr("Ready jobs are %1 late (p99).").arg(Texts::durationText(value));
    case AlertId::Dead:
        return Texts::tr("%n job(s) have died within an hour.", "",
                         static_cast<int>(std::lround(value)));
    case AlertId::DeliveriesFail:
        return Texts::tr("%1 of the attempts of the last 10 minutes have failed.")
            .arg(Texts::percent(value));
    case AlertId::JournalDown:
        return Texts::tr("Nobody records into the journal; history waits in Redis.");
    case AlertId::JournalBehind:
        return Texts::tr("The journal is %1 behind.").arg(Texts::durationText(value));
    case AlertId::Refuses: return Texts::tr("Redis refuses calls of a daemon.");
    case AlertId::Unreadable: return Texts::tr("There are records of a newer version.");
    case AlertId::Count_: break;
    }
    return {};
}

QString alertPeakText(const AlertEpisode& alert)
{
    switch (alertRule(alert.rule).unit) {
    case AlertRule::Unit::Seconds:
        return Texts::tr("%1 at most").arg(Texts::durationText(alert.highestValue));
    case AlertRule::Unit::Share:
        return Texts::tr("%1 at most").arg(Texts::percent(alert.highestValue));
    case AlertRule::Unit::Count: break;
    }
    return alert.rule == AlertId::Dead
               ? Texts::tr("%n job(s) at most", "",
                           static_cast<int>(std::lround(alert.highestValue)))
               : QString();
}

QString alertCondition(AlertId rule)
{
    switch (rule) {
    case AlertId::StoreAway: return Texts::tr("The store does not answer");
    case AlertId::NobodyDelivers: return Texts::tr("No daemon delivers");
    case AlertId::Late: return Texts::tr("Lateness of ready jobs (p99) above");
    case AlertId::Dead: return Texts::tr("Jobs that die in an hour, more than");
    case AlertId::DeliveriesFail: return Texts::tr("Failed attempts of 10 minutes above");
    case AlertId::JournalDown: return Texts::tr("Nobody records into the journal");
    case AlertId::JournalBehind: return Texts::tr("The journal is behind by more than");
    default: break;
    }
    return {};
}

AlertTarget alertTarget(AlertId rule)
{
    switch (rule) {
    case AlertId::Dead: return AlertTarget::DeadJobs;
    case AlertId::DeliveriesFail: return AlertTarget::RetryingJobs;
    case AlertId::Late: return AlertTarget::Monitor;
    default: return AlertTarget::Overview;
    }
}

QString alertTargetText(AlertTarget target)
{
    switch (target) {
    case AlertTarget::Overview: return Texts::tr("Open Overview");
    case AlertTarget::DeadJobs: return Texts::tr("Show Dead Jobs");
    case AlertTarget::RetryingJobs: return Texts::tr("Show Retrying Jobs");
    case AlertTarget::Monitor: return Texts::tr("Open Monitor");
    }
    return {};
}

Theme::Severity alertSeverity(AlertId rule)
{
    return alertRule(rule).severity == AlertSeverity::Critical ? Theme::Severity::Bad
                                                               : Theme::Severity::Warning;
}

QString alertSeverityText(AlertId rule)
{
    return alertRule(rule).severity == AlertSeverity::Critical ? Texts::tr("critical")
                                                               : Texts::tr("warning");
}

}  // namespace restante::gui
