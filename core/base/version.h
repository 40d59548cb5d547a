#pragma once

#include <string_view>

namespace restante {

/// "0.1.0": the project's version, as CMakeLists.txt has it.
std::string_view version() noexcept;

}  // namespace restante
