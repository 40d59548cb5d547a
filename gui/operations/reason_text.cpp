#include "gui/operations/reason_text.h"

#include <QCoreApplication>

#include <array>

namespace restante::gui {

namespace {

/// What is kept, and the same for people.
struct Word {
    const char* kept;
    const char* shown;
};
constexpr std::array kWhole{
    Word{"undo", QT_TRANSLATE_NOOP("Reason", "undone")},
    Word{"redo", QT_TRANSLATE_NOOP("Reason", "done again")},
    Word{"resumed", QT_TRANSLATE_NOOP("Reason", "resumed")},
    Word{"the next time is skipped", QT_TRANSLATE_NOOP("Reason", "the next time is skipped")},
    Word{"given up", QT_TRANSLATE_NOOP("Reason", "given up")},
    Word{"buried by hand", QT_TRANSLATE_NOOP("Reason", "given up by hand")},
    Word{"expired", QT_TRANSLATE_NOOP("Reason", "expired")},
    Word{"expired; refused by every device that was offered it",
         QT_TRANSLATE_NOOP("Reason", "expired; refused by every device that was offered it")},
    Word{"the lease ended before the attempt did",
         QT_TRANSLATE_NOOP("Reason", "the lease ended before the attempt did")},
    Word{"no device is registered", QT_TRANSLATE_NOOP("Reason", "no device is registered")},
    Word{"retention", QT_TRANSLATE_NOOP("Reason", "kept long enough")},
    Word{"import", QT_TRANSLATE_NOOP("Reason", "brought back from a file")},
    Word{"attempts reset", QT_TRANSLATE_NOOP("Reason", "attempts reset")},
    Word{"attempts count again", QT_TRANSLATE_NOOP("Reason", "attempts count again")},
};
/// Behind these stands what somebody wrote, or another reason.
constexpr std::array kFirst{
    Word{"undo: ", QT_TRANSLATE_NOOP("Reason", "undone: %1")},
    Word{"redo: ", QT_TRANSLATE_NOOP("Reason", "done again: %1")},
    Word{"retry of all that failed by: ",
         QT_TRANSLATE_NOOP("Reason", "retry of all that failed by: %1")},
};
/// And these behind it, in brackets.
constexpr std::array kLast{
    Word{" (attempts reset)", QT_TRANSLATE_NOOP("Reason", "%1 (attempts reset)")},
    Word{" (attempts count again)", QT_TRANSLATE_NOOP("Reason", "%1 (attempts count again)")},
};
constexpr int kRetry = 2;
/// A reason is a line; what is longer is in the jobs themselves.
constexpr int kMostOfError = 400;

}  // namespace

QString reasonText(const QString& reason)
{
    for (const auto& [kept, shown] : kWhole) {
        if (reason == QLatin1String(kept)) {
            return QCoreApplication::translate("Reason", shown);
        }
    }
    for (const auto& [kept, shown] : kFirst) {
        const QLatin1String first(kept);
        if (reason.startsWith(first)) {
            return QCoreApplication::translate("Reason", shown)
                .arg(reasonText(reason.mid(first.size())));
        }
    }
    for (const auto& [kept, shown] : kLast) {
        const QLatin1String last(kept);
        if (reason.endsWith(last)) {
            return QCoreApplication::translate("Reason", shown)
                .arg(reasonText(reason.chopped(last.size())));
        }
    }
    return reason;
}

QString groupRetryReason(const QString& error)
{
    return QLatin1String(kFirst[kRetry].kept) + error.left(kMostOfError);
}

QString errorOfGroupRetry(const QString& reason)
{
    const QLatin1String first(kFirst[kRetry].kept);
    return reason.startsWith(first) ? reason.mid(first.size()) : QString();
}

}  // namespace restante::gui
