#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <optional>
#include <string_view>

namespace restante::sip {

/// "Sat, 13 Nov 2010 23:29:00 GMT"; sofia's is a day off after 29 February.
std::string formatSipDate(TimePoint at);

/// Refuses another time zone than GMT and a day that is not in the calendar.
Result<TimePoint> parseSipDate(std::string_view text);

/// The number of seconds; nothing unless it consists of digits and fits 32 bits.
std::optional<std::chrono::seconds> wholeSeconds(std::string_view text) noexcept;
/// The same for delta-seconds (RFC 3261 section 25.1): a larger number is the largest of 32 bits.
std::optional<std::chrono::seconds> deltaSeconds(std::string_view text) noexcept;

}  // namespace restante::sip
