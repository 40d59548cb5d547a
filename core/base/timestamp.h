#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <string>
#include <string_view>

namespace restante {

/// Reads RFC 3339, "2026-12-31T09:00:00Z" or "...T09:00:00.250+01:00", and without a zone local
/// time, "2026-12-31 09:00" or "2026-12-31 09:00:30". Refuses what does not exist in the
/// calendar, naming the text and what is allowed.
Result<TimePoint> parseTimestamp(std::string_view text);

/// "2026-12-31T08:00:00.250Z": RFC 3339 in UTC, with milliseconds.
std::string formatRfc3339(TimePoint at);

/// "2026-12-31 09:00:00" in the local zone, for people.
std::string formatLocalTime(TimePoint at);

/// "in 2m10s", "3d4h ago", "now": rounded down to seconds, minutes or hours depending on the
/// distance.
std::string formatRelative(TimePoint at, TimePoint now);

}  // namespace restante
