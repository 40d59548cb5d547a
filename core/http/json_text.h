#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace restante::http {

/// A request's body as JSON. Refuses what is not JSON, broken UTF-8, numbers beyond a double, a
/// name that comes twice in one object, and nesting deeper than 32 (nothing we take goes beyond
/// 4; a tree of 100,000 brackets would only cost memory).
Result<nlohmann::json> parseJson(std::string_view text);

/// One line; what is not UTF-8 is replaced.
std::string jsonText(const nlohmann::json& json);
std::string jsonText(const nlohmann::ordered_json& json);

}  // namespace restante::http
