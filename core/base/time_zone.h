#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace restante {

/// The offset of a time zone from UTC, from the system's time zone data (RFC 8536). *Value.*
class TimeZone {
public:
    /// Reads it from /usr/share/zoneinfo. NotFound says that there is no such zone.
    static Result<TimeZone> load(const std::string& name);
    /// The same from a file's content.
    static Result<TimeZone> parse(std::string_view content);
    /// UTC.
    TimeZone() = default;

    /// How far local time is ahead of UTC at that instant; negative west of Greenwich.
    Millis offsetAt(TimePoint at) const noexcept;

private:
    /// A change of the clocks that comes every year: "M3.5.0/2", the last Sunday of March at two.
    struct YearlyChange {
        enum class Kind { Weekday, JulianDay, DayOfYear };
        Kind kind = Kind::Weekday;
        int month = 1;
        int week = 1;
        int day = 0;
        std::int64_t seconds = 7'200;  ///< local time of day
    };
    /// The rule for times after the last transition, from the footer: "CET-1CEST,M3.5.0,M10.5.0/3".
    struct Rule {
        std::int64_t standard = 0;  ///< seconds ahead of UTC
        std::int64_t summer = 0;
        std::optional<std::array<YearlyChange, 2>> changes = {};  ///< to summer time, and back
    };
    struct RuleReader;
    struct Transition {
        std::int64_t at;      ///< seconds since the epoch
        std::int64_t offset;  ///< from then on
    };

    /// In seconds since the epoch; `offset` is the one before the change.
    static std::int64_t timeOfChange(const YearlyChange& change, int year, std::int64_t offset);
    std::int64_t offsetByRule(std::int64_t at) const noexcept;

    std::int64_t offsetBeforeFirst_ = 0;  ///< the offset before the first transition
    std::vector<Transition> transitions_;
    std::optional<Rule> rule_;
};

}  // namespace restante
