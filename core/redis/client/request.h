#pragma once

#include <span>
#include <string>
#include <string_view>

namespace restante::redis {

/// Appends one command in RESP to `out`. Arguments are any bytes.
void appendRequest(std::string& out, std::span<const std::string_view> args);

}  // namespace restante::redis
