#pragma once

#include "core/base/clock.h"
#include "core/base/time_zone.h"

#include <optional>
#include <string>
#include <string_view>

namespace restante::sms {

/// A span of the day in which no text messages are sent, "21:00-08:00"; it may go over midnight.
/// *Value.*
class QuietHours {
public:
    /// None when it is not two different times of day, HH:MM.
    static std::optional<QuietHours> parse(std::string_view text);

    /// The end of the quiet hours that contain `now`, in `zone`; none when `now` is outside. The
    /// change to summer time or back within them is taken into account.
    std::optional<TimePoint> endOf(TimePoint now, const TimeZone& zone) const;

private:
    Millis begin_{0};  ///< since midnight
    Millis end_{0};
};

/// Whether there is a time zone of that name ("Europe/Berlin").
bool isTimeZone(const std::string& name);

}  // namespace restante::sms
