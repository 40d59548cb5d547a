#pragma once

#include "core/base/clock.h"

#include <QByteArray>
#include <QDateTime>
#include <QString>
#include <QTimeZone>

class QComboBox;

namespace restante::gui {

class Preferences;

/// The one way in which the console writes times: in the zone of the preferences, relative or
/// absolute as they say. *Thread of the window*; borrows the preferences and asks them each time.
class TimeText {
public:
    explicit TimeText(const Preferences& preferences) : preferences_(preferences) {}

    /// "in 2 h", or date and time when the preferences want that.
    QString text(TimePoint at, TimePoint now) const;
    /// "2026-11-21 20:41:05": year first, so that it means the same everywhere.
    QString absolute(TimePoint at) const;
    /// The same with milliseconds and the zone's offset: "... 20:41:05.250 +01:00".
    QString exact(TimePoint at) const;
    /// For a sentence: "12:12" on the day of `now`, "2026-11-25 09:00" on another.
    QString brief(TimePoint at, TimePoint now) const;
    /// "now", "in 3 min", "2 h ago", "in 15 d": no finer than people care for at that distance.
    static QString relative(TimePoint at, TimePoint now);
    /// "1 min 30 s", "2 h", "15 d".
    static QString duration(Millis length);

private:
    const Preferences& preferences_;
};

/// That of the preferences, or the machine's.
QTimeZone zoneOf(const Preferences& preferences);
/// "2026-11-22 09:00:00 CET".
QString timeIn(const QTimeZone& zone, TimePoint at);
/// The instant at which the clocks of `zone` show that; a local time that they skip is moved past
/// the gap.
TimePoint timeOf(const QDate& date, const QTime& time, const QTimeZone& zone);
/// Every zone that there is, the preferred one, the machine's and UTC first. Editable, with
/// completion.
QComboBox* newZoneBox(QWidget* parent, const Preferences& preferences);
/// What is chosen there; invalid when there is no such zone.
QTimeZone selectedZone(const QComboBox* box);

}  // namespace restante::gui
