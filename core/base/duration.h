#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <string>
#include <string_view>

namespace restante {

/// Reads "1500ms", "2m", "1h30m", "15d", "0s": one or more `number unit` pairs, units ms s m h d w,
/// the larger first, no sign, no space. Refuses an empty text, a bare number other than 0, an
/// unknown unit and anything over 100 years, naming the text and what is allowed.
Result<Millis> parseDuration(std::string_view text);

/// The text in the largest units, which parseDuration() reads back: 90 s is "1m30s", nothing is
/// "0s". Weeks are read but not written, because people say "15d". `duration` is not negative.
std::string formatDuration(Millis duration);

}  // namespace restante
