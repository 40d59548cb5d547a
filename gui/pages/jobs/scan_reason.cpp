#include "gui/pages/jobs/scan_reason.h"

#include "gui/pages/jobs/filter_text.h"
#include "gui/theme/theme.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace restante::gui {

namespace {

/// A term longer than this is cut where it is quoted.
constexpr int kLongestTerm = 40;

QString translated(const char* text)
{
    return QCoreApplication::translate("ScanReason", text);
}

/// Whether each reads as a filter of its own.
bool areReadable(const QStringList& terms)
{
    return std::all_of(terms.begin(), terms.end(), [](const QString& term) {
        return JobFilter::parse(term.toStdString()).has_value();
    });
}

enum class Cost { Set, Lane, Look };

/// What a term asks of the store: the sets of states, the lanes of topics and kinds, or a look at
/// each job.
Cost costOf(const QString& term)
{
    const auto plan = JobFilter::parse(term.toStdString()).value_or(JobFilter{}).plan();
    if (!plan.scans) {
        return Cost::Set;
    }
    return plan.exact && !plan.recipients ? Cost::Lane : Cost::Look;
}

/// Whether topics and kinds choose among its sets.
bool onlyInLanes(const FilterPlan& plan)
{
    return plan.states && std::all_of(plan.states->begin(), plan.states->end(), [](JobState state) {
               return state == JobState::Scheduled || state == JobState::Ready;
           });
}

QString cited(const QString& term)
{
    return QStringLiteral("“%1”").arg(term.size() > kLongestTerm ? term.left(kLongestTerm) + u'…'
                                                                 : term);
}

QString whereOf(const FilterPlan& plan)
{
    if (!plan.states) {
        return translated(QT_TRANSLATE_NOOP("ScanReason", "all jobs"));
    }
    QStringList states;
    for (const auto state : *plan.states) {
        states.append(Theme::stateName(state));
    }
    return translated(QT_TRANSLATE_NOOP("ScanReason", "the jobs that are %1"))
        .arg(states.join(QStringLiteral(", ")));
}

}  // namespace

QString scanReason(const JobFilter& filter)
{
    const auto plan = filter.plan();
    if (!plan.scans) {
        return {};
    }
    QStringList slow;
    bool onlyLanes = true;
    const auto whole = QString::fromStdString(filter.text());
    const auto parts = termsOf(whole);
    for (const auto& term : areReadable(parts) ? parts : QStringList{whole}) {
        const auto cost = costOf(term);
        if (cost == Cost::Look || (cost == Cost::Lane && !onlyInLanes(plan))) {
            slow.append(cited(term));
            onlyLanes = onlyLanes && cost == Cost::Lane;
        }
    }
    if (slow.isEmpty()) {
        slow.append(cited(whole));
        onlyLanes = false;
    }
    const auto terms = slow.join(QStringLiteral(", "));
    auto text =
        plan.readsBody
            ? translated(QT_TRANSLATE_NOOP("ScanReason",
                                           "%1: compared one by one with %2 and their payloads."))
            : translated(QT_TRANSLATE_NOOP("ScanReason", "%1: compared one by one with %2."));
    text = text.arg(terms, whereOf(plan)) + u' ';
    if (onlyLanes) {
        return text + translated(QT_TRANSLATE_NOOP(
                          "ScanReason", "Topics and channels are quick together with "
                                        "state:scheduled,ready; an exact id: or biz_key: always."));
    }
    text += translated(QT_TRANSLATE_NOOP("ScanReason", "Quick is an exact id: or biz_key:."));
    if (!plan.states) {
        text += u' ' + translated(QT_TRANSLATE_NOOP("ScanReason", "A state: leaves fewer to look "
                                                                  "at."));
    }
    return text;
}

}  // namespace restante::gui
