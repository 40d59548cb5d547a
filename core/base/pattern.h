#pragma once

#include <string_view>

namespace restante {

/// Whether the whole of `text` is what `pattern` says, in which `*` stands for any run of
/// characters, also none. Takes time proportional to the product of both lengths at most.
bool matchesPattern(std::string_view pattern, std::string_view text) noexcept;

}  // namespace restante
