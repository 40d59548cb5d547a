#include "gui/pages/detail/detail_text.h"

#include "core/queue/attempt_forecast.h"
#include "gui/base/text_piece.h"
#include "gui/theme/time_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <utility>

namespace restante::gui {

QString textOf(const std::string& bytes)
{
    return QString::fromUtf8(bytes);
}

QString absoluteAndRelative(TimePoint at, TimePoint now, const Preferences& preferences)
{
    if (at == TimePoint{} || at == TimePoint::max()) {
        return QStringLiteral("–");
    }
    return QCoreApplication::translate("DetailText", "%1 (%2)")
        .arg(TimeText(preferences).absolute(at), TimeText::relative(at, now));
}

QString attemptsText(const JobView& view)
{
    const auto begun = QLocale().toString(view.countedAttempts());
    const auto allowed = attemptCountOf(view.job.retry);
    return allowed == 0 ? begun
                        : QCoreApplication::translate("JobFields", "%1 of %2")
                              .arg(begun, QLocale().toString(allowed));
}

QString sizeText(std::uint64_t bytes)
{
    return QLocale().formattedDataSize(static_cast<qint64>(bytes), 1);
}

QString tipOf(const QString& text)
{
    constexpr qsizetype kMaxTipChars = 2'000;
    constexpr qsizetype kTipLineChars = 100;
    QString lines;
    const auto shown = beginningOf(text, kMaxTipChars);
    for (qsizetype at = 0; at < shown.size();) {
        const auto end = pieceEnd(shown, at, kTipLineChars);
        lines += at == 0 ? QString() : QStringLiteral("<br>");
        lines += shown.mid(at, end - at).toHtmlEscaped().replace(u'\n', QStringLiteral("<br>"));
        at = end;
    }
    return text.isEmpty()
               ? QString()
               : QStringLiteral("<span>%1%2</span>")
                     .arg(lines, text.size() > kMaxTipChars ? QStringLiteral("…") : QString());
}

QString transitionName(const std::string& word)
{
    static constexpr std::array<std::pair<const char*, const char*>, 23> kNames{{
        {"push", QT_TRANSLATE_NOOP("DetailText", "Pushed")},
        {"claim", QT_TRANSLATE_NOOP("DetailText", "Attempt begun")},
        {"claim_mailbox", QT_TRANSLATE_NOOP("DetailText", "Attempt begun")},
        {"finish", QT_TRANSLATE_NOOP("DetailText", "Finished")},
        {"retry", QT_TRANSLATE_NOOP("DetailText", "Failed, to be tried again")},
        {"touch", QT_TRANSLATE_NOOP("DetailText", "Lease extended")},
        {"bury", QT_TRANSLATE_NOOP("DetailText", "Given up")},
        {"hold", QT_TRANSLATE_NOOP("DetailText", "Held")},
        {"release", QT_TRANSLATE_NOOP("DetailText", "Released")},
        {"release_mailbox", QT_TRANSLATE_NOOP("DetailText", "Mailbox released")},
        {"expire", QT_TRANSLATE_NOOP("DetailText", "Expired")},
        {"run_now", QT_TRANSLATE_NOOP("DetailText", "Run now")},
        {"reschedule", QT_TRANSLATE_NOOP("DetailText", "Rescheduled")},
        {"trash", QT_TRANSLATE_NOOP("DetailText", "Moved to trash")},
        {"restore", QT_TRANSLATE_NOOP("DetailText", "Restored")},
        {"purge", QT_TRANSLATE_NOOP("DetailText", "Deleted for good")},
        {"reap", QT_TRANSLATE_NOOP("DetailText", "Lease lapsed")},
        {"mark", QT_TRANSLATE_NOOP("DetailText", "One device served")},
        {"recover", QT_TRANSLATE_NOOP("DetailText", "Recovered from the journal")},
        {"replay", QT_TRANSLATE_NOOP("DetailText", "Brought up to date from the journal")},
        {"cool", QT_TRANSLATE_NOOP("DetailText", "Moved to the journal until it is due soon")},
        {"warm", QT_TRANSLATE_NOOP("DetailText", "Brought back from the journal before it is due")},
        {"repair", QT_TRANSLATE_NOOP("DetailText", "Repaired after a crash of Redis")},
    }};
    const auto found = std::find_if(kNames.begin(), kNames.end(),
                                    [&](const auto& entry) { return entry.first == word; });
    return found == kNames.end() ? textOf(word)
                                 : QCoreApplication::translate("DetailText", found->second);
}

}  // namespace restante::gui
