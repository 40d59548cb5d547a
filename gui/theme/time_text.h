#pragma once

#include "core/base/clock.h"

#include <QString>

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
    /// "now", "in 3 min", "2 h ago", "in 15 d": no finer than people care for at that distance.
    static QString relative(TimePoint at, TimePoint now);
    /// "1 min 30 s", "2 h", "15 d".
    static QString duration(Millis length);

private:
    const Preferences& preferences_;
};

}  // namespace restante::gui
