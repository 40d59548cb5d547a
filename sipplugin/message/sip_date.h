#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <optional>
#include <string_view>

namespace restante::sip {

/// "Sat, 13 Nov 2010 23:29:00 GMT"; sofia's is a day off after 29 February.
std::string printSipDate(TimePoint at);

/// Refuses another time zone than GMT and a day that is not in the calendar.
Result<TimePoint> parseSipDate(std::string_view text);

/// Digits that 32 bits hold, and nothing else.
std::optional<std::chrono::seconds> wholeSeconds(std::string_view text) noexcept;
/// RFC 3261 section 25.1: too many digits are as many as 32 bits hold; else none.
std::optional<std::chrono::seconds> deltaSeconds(std::string_view text) noexcept;

}  // namespace restante::sip
