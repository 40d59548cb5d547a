#include "gui/operations/reason_text.h"

#include <QCoreApplication>

#include <array>

namespace restante::gui {

namespace {

/// A reason as it is stored, and the text to translate.
struct TranslatedReason {
    const char* kept;
    const char* shown;
};
constexpr std::array kWholeReasons{
    TranslatedReason{"undo", QT_TRANSLATE_NOOP("Reason", "undone")},
    TranslatedReason{"redo", QT_TRANSLATE_NOOP("Reason", "done again")},
    TranslatedReason{"resumed", QT_TRANSLATE_NOOP("Reason", "resumed")},
    TranslatedReason{"the next time is skipped",
                     QT_TRANSLATE_NOOP("Reason", "the next time is skipped")},
    TranslatedReason{"given up", QT_TRANSLATE_NOOP("Reason", "given up")},
    TranslatedReason{"buried by hand", QT_TRANSLATE_NOOP("Reason", "given up by hand")},
    TranslatedReason{"expired", QT_TRANSLATE_NOOP("Reason", "expired")},
    TranslatedReason{
        "expired; refused by every device that was offered it",
        QT_TRANSLATE_NOOP("Reason", "expired; refused by every device that was offered it")},
    TranslatedReason{"the lease ended before the attempt did",
                     QT_TRANSLATE_NOOP("Reason", "the lease ended before the attempt did")},
    TranslatedReason{"no device is registered",
                     QT_TRANSLATE_NOOP("Reason", "no device is registered")},
    TranslatedReason{"retention", QT_TRANSLATE_NOOP("Reason", "kept long enough")},
    TranslatedReason{"import", QT_TRANSLATE_NOOP("Reason", "brought back from a file")},
    TranslatedReason{"attempts reset", QT_TRANSLATE_NOOP("Reason", "attempts reset")},
    TranslatedReason{"attempts count again", QT_TRANSLATE_NOOP("Reason", "attempts count again")},
};
/// Followed by what somebody wrote, or by another reason.
constexpr std::array kReasonPrefixes{
    TranslatedReason{"undo: ", QT_TRANSLATE_NOOP("Reason", "undone: %1")},
    TranslatedReason{"redo: ", QT_TRANSLATE_NOOP("Reason", "done again: %1")},
    TranslatedReason{"retry of all that failed by: ",
                     QT_TRANSLATE_NOOP("Reason", "retry of all that failed by: %1")},
};
/// Appended to another reason, in brackets.
constexpr std::array kReasonSuffixes{
    TranslatedReason{" (attempts reset)", QT_TRANSLATE_NOOP("Reason", "%1 (attempts reset)")},
    TranslatedReason{" (attempts count again)",
                     QT_TRANSLATE_NOOP("Reason", "%1 (attempts count again)")},
};
constexpr int kGroupRetryIndex = 2;
/// Characters; a reason is one line, and the jobs themselves have the whole error.
constexpr int kMaxErrorLength = 400;

}  // namespace

QString reasonText(const QString& reason)
{
    for (const auto& [kept, shown] : kWholeReasons) {
        if (reason == QLatin1String(kept)) {
            return QCoreApplication::translate("Reason", shown);
        }
    }
    for (const auto& [kept, shown] : kReasonPrefixes) {
        const QLatin1String first(kept);
        if (reason.startsWith(first)) {
            return QCoreApplication::translate("Reason", shown)
                .arg(reasonText(reason.mid(first.size())));
        }
    }
    for (const auto& [kept, shown] : kReasonSuffixes) {
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
    return QLatin1String(kReasonPrefixes[kGroupRetryIndex].kept) + error.left(kMaxErrorLength);
}

QString errorOfGroupRetry(const QString& reason)
{
    const QLatin1String first(kReasonPrefixes[kGroupRetryIndex].kept);
    return reason.startsWith(first) ? reason.mid(first.size()) : QString();
}

}  // namespace restante::gui
