#pragma once

#include <string_view>

namespace restante::http {

/// core/http/api/openapi.json, built into the program.
std::string_view openApiDocument() noexcept;

}  // namespace restante::http
