#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::http {

/// "a=1&b=two+words" as pairs, decoded (application/x-www-form-urlencoded). None when an escape is
/// broken.
std::optional<std::vector<std::pair<std::string, std::string>>> parseQuery(std::string_view text);

}  // namespace restante::http
