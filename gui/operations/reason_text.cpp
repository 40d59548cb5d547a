#include "gui/operations/reason_text.h"

#include <QCoreApplication>

#include <array>

namespace restante::gui {

namespace {

struct ReasonWords {
    Q_DECLARE_TR_FUNCTIONS(Reason)

public:
    /// What is kept, and the same for people.
    struct Word {
        const char* kept;
        const char* shown;
    };
    static constexpr std::array kWhole{
        Word{"undo", QT_TR_NOOP("undone")},
        Word{"redo", QT_TR_NOOP("done again")},
        Word{"resumed", QT_TR_NOOP("resumed")},
        Word{"the next time is skipped", QT_TR_NOOP("the next time is skipped")},
        Word{"given up", QT_TR_NOOP("given up")},
        Word{"buried by hand", QT_TR_NOOP("given up by hand")},
        Word{"expired", QT_TR_NOOP("expired")},
        Word{"expired; refused by every device that was offered it",
             QT_TR_NOOP("expired; refused by every device that was offered it")},
        Word{"the lease ended before the attempt did",
             QT_TR_NOOP("the lease ended before the attempt did")},
        Word{"no device is registered", QT_TR_NOOP("no device is registered")},
        Word{"retention", QT_TR_NOOP("kept long enough")},
        Word{"import", QT_TR_NOOP("brought back from a file")},
        Word{"attempts reset", QT_TR_NOOP("attempts reset")},
        Word{"attempts count again", QT_TR_NOOP("attempts count again")},
    };
    /// Behind these stands what somebody wrote, or another reason.
    static constexpr std::array kFirst{
        Word{"undo: ", QT_TR_NOOP("undone: %1")},
        Word{"redo: ", QT_TR_NOOP("done again: %1")},
        Word{"retry of all that failed by: ", QT_TR_NOOP("retry of all that failed by: %1")},
    };
    /// And these behind it, in brackets.
    static constexpr std::array kLast{
        Word{" (attempts reset)", QT_TR_NOOP("%1 (attempts reset)")},
        Word{" (attempts count again)", QT_TR_NOOP("%1 (attempts count again)")},
    };
};

constexpr int kRetry = 2;
/// A reason is a line; what is longer is in the jobs themselves.
constexpr int kMostOfError = 400;

}  // namespace

QString reasonText(const QString& reason)
{
    for (const auto& [kept, shown] : ReasonWords::kWhole) {
        if (reason == QLatin1String(kept)) {
            return ReasonWords::tr(shown);
        }
    }
    for (const auto& [kept, shown] : ReasonWords::kFirst) {
        const QLatin1String first(kept);
        if (reason.startsWith(first)) {
            return ReasonWords::tr(shown).arg(reasonText(reason.mid(first.size())));
        }
    }
    for (const auto& [kept, shown] : ReasonWords::kLast) {
        const QLatin1String last(kept);
        if (reason.endsWith(last)) {
            return ReasonWords::tr(shown).arg(reasonText(reason.chopped(last.size())));
        }
    }
    return reason;
}

QString groupRetryReason(const QString& error)
{
    return QLatin1String(ReasonWords::kFirst[kRetry].kept) + error.left(kMostOfError);
}

QString errorOfGroupRetry(const QString& reason)
{
    const QLatin1String first(ReasonWords::kFirst[kRetry].kept);
    return reason.startsWith(first) ? reason.mid(first.size()) : QString();
}

}  // namespace restante::gui
