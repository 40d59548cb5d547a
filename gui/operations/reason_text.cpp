#include "gui/operations/reason_text.h"

#include "gui/base/text_piece.h"

#include <QCoreApplication>

#include <array>

namespace restante::gui {

namespace {

/// A reason as it is stored, and the text to translate.
struct TranslatedReason {
    const char* stored;
    const char* sourceText;
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
/// Followed by what somebody wrote, by another reason, or by an error.
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
    for (const auto& [stored, sourceText] : kWholeReasons) {
        if (reason == QLatin1String(stored)) {
            return QCoreApplication::translate("Reason", sourceText);
        }
    }
    for (const auto& [stored, sourceText] : kReasonPrefixes) {
        const QLatin1String prefix(stored);
        if (reason.startsWith(prefix)) {
            return QCoreApplication::translate("Reason", sourceText)
                .arg(reasonText(reason.mid(prefix.size())));
        }
    }
    for (const auto& [stored, sourceText] : kReasonSuffixes) {
        const QLatin1String suffix(stored);
        if (reason.endsWith(suffix)) {
            return QCoreApplication::translate("Reason", sourceText)
                .arg(reasonText(reason.chopped(suffix.size())));
        }
    }
    return reason;
}

QString groupRetryReason(const QString& error)
{
    return QLatin1String(kReasonPrefixes[kGroupRetryIndex].stored) +
           beginningOf(error, kMaxErrorLength);
}

QString errorOfGroupRetry(const QString& reason)
{
    const QLatin1String prefix(kReasonPrefixes[kGroupRetryIndex].stored);
    return reason.startsWith(prefix) ? reason.mid(prefix.size()) : QString();
}

}  // namespace restante::gui
