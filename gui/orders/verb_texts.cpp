#include "gui/orders/verb_texts.h"

#include "gui/theme/theme.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <limits>

namespace restante::gui {

namespace {

using Verb = BulkAction::Verb;

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

QString jobsText(std::uint64_t count)
{
    return QCoreApplication::translate("Verb", "%Ln job(s)", nullptr, plural(count));
}

QString buttonText(Verb verb, std::uint64_t count)
{
    const auto what = jobsText(count);
    const auto with = [&](const char* source) {
        return QCoreApplication::translate("Verb", source).arg(what);
    };
    switch (verb) {
    case Verb::RunNow: return with(QT_TRANSLATE_NOOP("Verb", "Run %1 Now"));
    case Verb::Reschedule: return with(QT_TRANSLATE_NOOP("Verb", "Reschedule %1"));
    case Verb::Release: return with(QT_TRANSLATE_NOOP("Verb", "Release %1"));
    case Verb::Hold: return with(QT_TRANSLATE_NOOP("Verb", "Hold %1"));
    case Verb::Finish: return with(QT_TRANSLATE_NOOP("Verb", "Finish %1"));
    case Verb::Bury: return with(QT_TRANSLATE_NOOP("Verb", "Give Up %1"));
    case Verb::Trash: return with(QT_TRANSLATE_NOOP("Verb", "Move %1 to Trash"));
    case Verb::Restore: return with(QT_TRANSLATE_NOOP("Verb", "Restore %1"));
    case Verb::Purge: return with(QT_TRANSLATE_NOOP("Verb", "Delete %1 for Good"));
    }
    return {};
}

QString questionText(Verb verb, std::uint64_t count)
{
    const auto what = jobsText(count);
    const auto with = [&](const char* source) {
        return QCoreApplication::translate("Verb", source).arg(what);
    };
    switch (verb) {
    case Verb::RunNow: return with(QT_TRANSLATE_NOOP("Verb", "Run %1 now?"));
    case Verb::Reschedule: return with(QT_TRANSLATE_NOOP("Verb", "Reschedule %1?"));
    case Verb::Release: return with(QT_TRANSLATE_NOOP("Verb", "Release %1?"));
    case Verb::Hold: return with(QT_TRANSLATE_NOOP("Verb", "Hold %1?"));
    case Verb::Finish: return with(QT_TRANSLATE_NOOP("Verb", "Finish %1?"));
    case Verb::Bury: return with(QT_TRANSLATE_NOOP("Verb", "Give up %1?"));
    case Verb::Trash: return with(QT_TRANSLATE_NOOP("Verb", "Move %1 to the trash?"));
    case Verb::Restore: return with(QT_TRANSLATE_NOOP("Verb", "Restore %1?"));
    case Verb::Purge: return with(QT_TRANSLATE_NOOP("Verb", "Delete %1 for good?"));
    }
    return {};
}

QString deedText(Verb verb, std::uint64_t count)
{
    const auto what = jobsText(count);
    const auto with = [&](const char* source) {
        return QCoreApplication::translate("Verb", source).arg(what);
    };
    switch (verb) {
    case Verb::RunNow: return with(QT_TRANSLATE_NOOP("Verb", "Run of %1"));
    case Verb::Reschedule: return with(QT_TRANSLATE_NOOP("Verb", "Reschedule of %1"));
    case Verb::Release: return with(QT_TRANSLATE_NOOP("Verb", "Release of %1"));
    case Verb::Hold: return with(QT_TRANSLATE_NOOP("Verb", "Hold of %1"));
    case Verb::Finish: return with(QT_TRANSLATE_NOOP("Verb", "Finish of %1"));
    case Verb::Bury: return with(QT_TRANSLATE_NOOP("Verb", "Giving up of %1"));
    case Verb::Trash: return with(QT_TRANSLATE_NOOP("Verb", "Trash of %1"));
    case Verb::Restore: return with(QT_TRANSLATE_NOOP("Verb", "Restore of %1"));
    case Verb::Purge: return with(QT_TRANSLATE_NOOP("Verb", "Deletion of %1"));
    }
    return {};
}

QString countsText(std::uint64_t done, std::uint64_t skipped, std::uint64_t failed)
{
    return QCoreApplication::translate("Verb", "%1 ok · %2 skipped · %3 failed")
        .arg(numberText(done), numberText(skipped), numberText(failed));
}

QString filterText(const JobsView& view)
{
    auto words = QString::fromStdString(view.whole().text());
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
                   : QCoreApplication::translate("Verb", "%1 selected")
                         .arg(jobsText(selection.ids.size()));
    }
    const auto filter = filterText(selection.view);
    auto scope = filter.isEmpty()
                     ? QCoreApplication::translate("Verb", "All jobs of the store")
                     : QCoreApplication::translate("Verb", "All that match %1").arg(filter);
    if (!selection.except.empty()) {
        scope += QCoreApplication::translate("Verb", ", minus %1")
                     .arg(numberText(selection.except.size()));
    }
    return scope;
}

}  // namespace restante::gui
