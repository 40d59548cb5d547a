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

/// What the console says of recurring reminders. *Thread of the window*; borrows the preferences.
class SeriesText {
    Q_DECLARE_TR_FUNCTIONS(SeriesText)

public:
    explicit SeriesText(const Preferences& preferences) : preferences_(preferences) {}

    /// "bob@example.org" of "sip:bob@example.org"; other addresses as they are.
    static QString person(const std::string& recipient);
    /// "weekdays at 09:00"; a rule that has no such words is shown as it is: "FREQ=...".
    QString rule(const reminder::Series& series) const;
    /// The same with the time zone whose clocks are meant, if the rule goes by clocks.
    QString ruleAndZone(const reminder::Series& series) const;
    /// "after 10 times", "on 2026-12-31 09:00"; empty = it goes on for good.
    QString ending(const reminder::Series& series) const;
    /// "Wed 2026-11-25 09:00 CET": a time as the clocks of a zone show it.
    QString timeThere(TimePoint at, const QTimeZone& zone) const;
    /// Of the series, or the console's own when Qt does not know it.
    QTimeZone zoneOf(const reminder::Series& series) const;

    /// What is known of an occurrence that the store does not have.
    enum class Absent {
        Unknown,    ///< there is no journal to ask
        Asked,      ///< its answer is on its way
        Delivered,  ///< and forgotten
        Removed,
        NeverSent,  ///< skipped, or missed
    };
    /// `history` as the journal has answered.
    static Absent absentOf(const Result<std::vector<HistoryRow>>& history);
    /// How it ended, or stands: a word with its sign.
    struct Fate {
        QString word;
        QString icon = {};
        QColor ink = {};
        QString tip = {};  ///< a sentence; may have a stranger's text
    };
    static Fate fateOf(const reminder::LastRun& last, Absent absent);

    /// How the series itself stands: "active", "paused", "late" ...
    static Fate standing(const reminder::SeriesView& view, TimePoint now);

private:
    QString clock(int hour, int minute, int second) const;

    const Preferences& preferences_;
};

}  // namespace restante::gui
