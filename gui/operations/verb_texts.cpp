#include "gui/operations/verb_texts.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <iterator>
#include <limits>

namespace restante::gui {

namespace {

using Verb = BulkAction::Verb;

struct VerbTexts {
    Q_DECLARE_TR_FUNCTIONS(Verb)

public:
    struct Row {
        Verb verb;
        const char* button;
        const char* question;
        const char* title;    ///< with how many jobs
        const char* done;     ///< of how many jobs
        const char* doneOne;  ///< of one job, by its name
    };
    static constexpr Row kRows[] = {
        {Verb::RunNow, QT_TR_NOOP("Run %1 Now"), QT_TR_NOOP("Run %1 now?"),
         QT_TR_N_NOOP("Run %Ln job(s) now"), QT_TR_N_NOOP("%Ln job(s) set going"),
         QT_TR_NOOP("%1 is set going")},
        {Verb::Reschedule, QT_TR_NOOP("Reschedule %1"), QT_TR_NOOP("Reschedule %1?"),
         QT_TR_N_NOOP("Reschedule %Ln job(s)"), QT_TR_N_NOOP("%Ln job(s) rescheduled"),
         QT_TR_NOOP("%1 is rescheduled")},
        {Verb::Release, QT_TR_NOOP("Release %1"), QT_TR_NOOP("Release %1?"),
         QT_TR_N_NOOP("Release %Ln job(s)"), QT_TR_N_NOOP("%Ln job(s) released"),
         QT_TR_NOOP("%1 is released")},
        {Verb::Hold, QT_TR_NOOP("Hold %1"), QT_TR_NOOP("Hold %1?"), QT_TR_N_NOOP("Hold %Ln job(s)"),
         QT_TR_N_NOOP("%Ln job(s) held"), QT_TR_NOOP("%1 is held")},
        {Verb::Finish, QT_TR_NOOP("Finish %1"), QT_TR_NOOP("Finish %1?"),
         QT_TR_N_NOOP("Finish %Ln job(s)"), QT_TR_N_NOOP("%Ln job(s) finished"),
         QT_TR_NOOP("%1 is finished")},
        {Verb::Bury, QT_TR_NOOP("Give Up %1"), QT_TR_NOOP("Give up %1?"),
         QT_TR_N_NOOP("Give %Ln job(s) up"), QT_TR_N_NOOP("%Ln job(s) given up"),
         QT_TR_NOOP("%1 is given up")},
        {Verb::Trash, QT_TR_NOOP("Move %1 to Trash"), QT_TR_NOOP("Move %1 to the trash?"),
         QT_TR_N_NOOP("Move %Ln job(s) to the trash"),
         QT_TR_N_NOOP("%Ln job(s) moved to the trash"), QT_TR_NOOP("%1 is in the trash")},
        {Verb::Restore, QT_TR_NOOP("Restore %1"), QT_TR_NOOP("Restore %1?"),
         QT_TR_N_NOOP("Restore %Ln job(s)"), QT_TR_N_NOOP("%Ln job(s) restored"),
         QT_TR_NOOP("%1 is restored")},
        {Verb::Purge, QT_TR_NOOP("Delete %1 for Good"), QT_TR_NOOP("Delete %1 for good?"),
         QT_TR_N_NOOP("Delete %Ln job(s) for good"), QT_TR_N_NOOP("%Ln job(s) deleted for good"),
         QT_TR_NOOP("%1 is deleted for good")},
    };
};

const VerbTexts::Row& rowOf(Verb verb)
{
    const auto* row = std::find_if(std::begin(VerbTexts::kRows), std::end(VerbTexts::kRows),
                                   [verb](const auto& one) { return one.verb == verb; });
    return row == std::end(VerbTexts::kRows) ? VerbTexts::kRows[0] : *row;
}

QString textOf(Verb verb, const char* VerbTexts::Row::*text, std::uint64_t count)
{
    return VerbTexts::tr(rowOf(verb).*text).arg(jobsText(count));
}

/// Plurals are chosen by an int.
int plural(std::uint64_t count)
{
    return static_cast<int>(std::min<std::uint64_t>(
        count, static_cast<std::uint64_t>(std::numeric_limits<int>::max())));
}

}  // namespace

QString numberText(std::uint64_t number)
{
    return QLocale().toString(static_cast<qulonglong>(number));
}

QString attemptsText(std::uint32_t attempts, std::uint32_t maxAttempts)
{
    const auto text = numberText(attempts);
    return maxAttempts == 0 ? text : QStringLiteral("%1/%2").arg(text, numberText(maxAttempts));
}

QString jobsText(std::uint64_t count)
{
    return VerbTexts::tr("%Ln job(s)", nullptr, plural(count));
}

QString buttonText(Verb verb, std::uint64_t count)
{
    return textOf(verb, &VerbTexts::Row::button, count);
}

QString questionText(Verb verb, std::uint64_t count)
{
    return textOf(verb, &VerbTexts::Row::question, count);
}

QString stepTitle(Verb verb, std::uint64_t count)
{
    return VerbTexts::tr(rowOf(verb).title, nullptr, plural(count));
}

QString doneTitle(Verb verb, std::uint64_t count, const QString& jobName)
{
    return count == 1 && !jobName.isEmpty()
               ? VerbTexts::tr(rowOf(verb).doneOne).arg(jobName)
               : VerbTexts::tr(rowOf(verb).done, nullptr, plural(count));
}

QString countsText(std::uint64_t done, std::uint64_t skipped, std::uint64_t failed)
{
    return VerbTexts::tr("%1 ok · %2 skipped · %3 failed")
        .arg(numberText(done), numberText(skipped), numberText(failed));
}

QString filterText(const JobsView& view)
{
    auto words = QString::fromStdString(view.combinedFilter().text());
    if (view.states.empty()) {
        return words;
    }
    QStringList states;
    for (const auto state : view.states) {
        states.append(QString::fromLatin1(name(state).data()));
    }
    const auto term = QStringLiteral("state:") + states.join(u',');
    return words.isEmpty() ? term : QStringLiteral("%1 (%2)").arg(term, words);
}

QString scopeText(const Selection& selection)
{
    if (!selection.all) {
        return selection.count == 1 && !selection.ids.empty()
                   ? QString::fromStdString(selection.ids.front())
                   : VerbTexts::tr("%1 selected").arg(jobsText(selection.ids.size()));
    }
    const auto filter = filterText(selection.view);
    auto scope = filter.isEmpty() ? VerbTexts::tr("All jobs of the store")
                                  : VerbTexts::tr("All that match %1").arg(filter);
    if (!selection.except.empty()) {
        scope += VerbTexts::tr(", minus %1").arg(numberText(selection.except.size()));
    }
    return scope;
}

}  // namespace restante::gui
