#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::http {

/// Undoes %XX. None when an escape is broken or stands for NUL. RFC 3986 section 2.1.
std::optional<std::string> percentDecoded(std::string_view text);

/// "a=1&b=two+words" as pairs, decoded (application/x-www-form-urlencoded). None when an escape is
/// broken.
std::optional<std::vector<std::pair<std::string, std::string>>> parseQuery(std::string_view text);

bool equalIgnoringCase(std::string_view a, std::string_view b) noexcept;

}  // namespace restante::http
