#include "gui/operations/daemon_texts.h"

#include "gui/theme/time_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <array>

namespace restante::gui {

namespace {

struct DaemonTexts {
    Q_DECLARE_TR_FUNCTIONS(Daemon)
};

/// Duties that have a translated word; the others are names of protocols.
struct DutyWord {
    const char* duty;
    const char* word;
};
constexpr std::array kDutyWords{
    DutyWord{"sms", QT_TRANSLATE_NOOP("Daemon", "text messages")},
    DutyWord{"webhook", QT_TRANSLATE_NOOP("Daemon", "webhooks")},
    DutyWord{"scheduler", QT_TRANSLATE_NOOP("Daemon", "reminders")},
    DutyWord{"journal", QT_TRANSLATE_NOOP("Daemon", "journal")},
    DutyWord{"upkeep", QT_TRANSLATE_NOOP("Daemon", "upkeep")},
};

QString dutyText(const std::string& duty)
{
    const auto* found = std::find_if(kDutyWords.begin(), kDutyWords.end(),
                                     [&](const DutyWord& one) { return duty == one.duty; });
    return found == kDutyWords.end() ? QString::fromStdString(duty).toUpper()
                                     : DaemonTexts::tr(found->word);
}

}  // namespace

QString dutiesText(const std::vector<std::string>& duties)
{
    QStringList words;
    for (const auto& duty : duties) {
        words << dutyText(duty);
    }
    return words.join(u' ');
}

Theme::Severity daemonSeverity(const DaemonView& daemon)
{
    if (!daemon.isLiving()) {
        return Theme::Severity::Bad;
    }
    return daemon.draining               ? Theme::Severity::Notice
           : daemon.silentDuties.empty() ? Theme::Severity::Good
                                         : Theme::Severity::Warning;
}

QString daemonStatus(const DaemonView& daemon)
{
    switch (daemonSeverity(daemon)) {
    case Theme::Severity::Good: return DaemonTexts::tr("ok", "a daemon");
    case Theme::Severity::Notice: return DaemonTexts::tr("stopping", "a daemon");
    case Theme::Severity::Warning: return DaemonTexts::tr("hangs", "a daemon");
    case Theme::Severity::Bad: return DaemonTexts::tr("silent", "a daemon");
    }
    return {};
}

QString daemonText(const DaemonView& daemon, TimePoint now)
{
    const auto name = QString::fromStdString(daemon.name);
    const auto version = QString::fromStdString(daemon.version);
    // A heartbeat later than `now` arrived while the answer was on its way.
    const auto seen = TimeText::relative(std::min(daemon.seen, now), now);
    if (!daemon.isLiving()) {
        return DaemonTexts::tr("%1, %2, silent: last seen %3").arg(name, version, seen);
    }
    const auto duties = dutiesText(daemon.duties);
    if (daemon.draining) {
        return DaemonTexts::tr("%1, %2, stopping, seen %3").arg(name, version, seen);
    }
    if (!daemon.silentDuties.empty()) {
        return DaemonTexts::tr("%1, %2, %3, seen %4; hangs: %5")
            .arg(name, version, duties, seen, dutiesText(daemon.silentDuties));
    }
    return DaemonTexts::tr("%1, %2, %3, seen %4").arg(name, version, duties, seen);
}

QString nobodyDeliversText(const std::vector<DaemonView>& daemons, TimePoint now)
{
    if (std::any_of(daemons.begin(), daemons.end(),
                    [](const DaemonView& daemon) { return daemon.delivers(); })) {
        return {};
    }
    if (daemons.empty()) {
        return DaemonTexts::tr("Nobody delivers: no daemon works on this store. Start restanted; "
                               "if it does not stay, its log says why.");
    }
    const auto last = std::max_element(
        daemons.begin(), daemons.end(),
        [](const DaemonView& one, const DaemonView& other) { return one.seen < other.seen; });
    const auto name = QString::fromStdString(last->name);
    if (!last->isLiving()) {
        return DaemonTexts::tr("Nobody delivers: the last daemon, %1, was last seen %2. "
                               "Start restanted again; its log says what happened.")
            .arg(name, TimeText::relative(last->seen, now));
    }
    if (last->draining) {
        return DaemonTexts::tr("Nobody delivers: the last daemon, %1, is stopping. Start restanted "
                               "again.")
            .arg(name);
    }
    return DaemonTexts::tr("Nobody delivers: the daemon %1 is alive, but what delivers in it does "
                           "not run. Its log says why; else restart it.")
        .arg(name);
}

QString hangingText(const std::vector<DaemonView>& daemons)
{
    const auto found = std::find_if(daemons.begin(), daemons.end(), [](const DaemonView& daemon) {
        return daemon.isLiving() && !daemon.silentDuties.empty();
    });
    return found == daemons.end()
               ? QString()
               : DaemonTexts::tr(
                     "Part of the daemon %1 hangs: %2. Restart it; its log may say why.")
                     .arg(QString::fromStdString(found->name), dutiesText(found->silentDuties));
}

}  // namespace restante::gui
