#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/base/time_zone.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace restante {

/// A local time, without a zone.
using LocalSeconds = std::chrono::local_seconds;

/// Local time in an IANA time zone: the local time of a moment, and the moment of a local time.
/// *Value*, cheap to copy; any thread.
class ZonedClock {
public:
    /// Invalid names the text when it is no zone of the system. Reads one small file.
    static Result<ZonedClock> find(std::string_view name);

    const std::string& name() const noexcept { return name_; }

    LocalSeconds localOf(TimePoint at) const noexcept;
    /// RFC 5545 section 3.3.5: a local time that occurs twice is the first one; one that does not
    /// occur is taken with the offset before the gap, so that 02:30 on a day that goes from 02:00
    /// to 03:00 is 03:30.
    TimePoint instantOf(LocalSeconds local) const noexcept;

private:
    ZonedClock(std::string name, TimeZone zone)
        : name_(std::move(name)),
          zone_(std::make_shared<const TimeZone>(std::move(zone)))
    {
    }
    std::chrono::seconds offsetAt(std::chrono::sys_seconds at) const noexcept;

    std::string name_;
    std::shared_ptr<const TimeZone> zone_;  ///< shared by the copies: a few kilobytes
};

/// Reads "2026-12-31", "2026-12-31 09:00", "2026-12-31T09:00:30" as a local time; a date
/// alone means `timeOfDay`. Refuses what does not exist in the calendar and what names a zone.
Result<LocalSeconds> parseLocalTime(std::string_view text, Millis timeOfDay);

/// "2026-12-31 09:00:00": what parseLocalTime() reads.
std::string formatLocal(LocalSeconds local);

}  // namespace restante
