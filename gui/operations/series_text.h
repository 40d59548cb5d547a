#pragma once

#include "core/reminder/series_list.h"
#include "gui/session/jobs_view.h"

#include <QColor>
#include <QCoreApplication>
#include <QString>

#include <optional>
#include <string>
#include <vector>

class QTimeZone;

namespace restante {
struct HistoryRow;
}

namespace restante::gui {

class Preferences;

/// Texts about recurring reminders. *Thread of the window*; borrows the preferences.
class SeriesText {
    Q_DECLARE_TR_FUNCTIONS(SeriesText)

public:
    explicit SeriesText(const Preferences& preferences) : preferences_(preferences) {}

    /// "bob@example.org" of "sip:bob@example.org"; other addresses as they are.
    static QString person(const std::string& recipient);
    /// "weekdays at 09:00"; a rule that cannot be described so is shown as it is: "FREQ=...".
    QString rule(const reminder::Series& series) const;
    /// The same with the time zone, unless the rule counts elapsed time.
    QString ruleAndZone(const reminder::Series& series) const;
    /// "after 10 times", "after 20261231T090000", "Thu 2026-12-31 09:00 CET"; empty = it never
    /// ends.
    QString ending(const reminder::Series& series) const;
    /// "Wed 2026-11-25 09:00 CET": a time in a zone.
    QString timeInZone(TimePoint at, const QTimeZone& zone) const;
    /// The zone of the series, or that of the preferences when Qt does not know it.
    QTimeZone zoneOf(const reminder::Series& series) const;

    /// What became of an occurrence whose job is not in the store.
    enum class RunOutcome {
        Unknown,    ///< there is no journal to ask, or it does not say
        Loading,    ///< the answer of the journal is pending
        Delivered,  ///< and forgotten
        Removed,
        NeverSent,  ///< skipped, or missed
    };
    /// `history` is the answer of the journal.
    static RunOutcome runOutcomeOf(const Result<std::vector<HistoryRow>>& history);
    /// A status word with its icon and colour.
    struct Status {
        QString word;
        QString icon = {};
        QColor foreground = {};
        QString tip = {};  ///< a sentence; may contain text from outside
    };
    static Status lastRunStatus(const reminder::LastOccurrence& last, RunOutcome runOutcome);

    /// The status of the series itself: "active", "paused", "late" ...
    static Status statusOf(const reminder::SeriesView& view, TimePoint now);

private:
    QString clock(int hour, int minute, int second) const;

    const Preferences& preferences_;
};

}  // namespace restante::gui
