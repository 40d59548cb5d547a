#pragma once

#include <cstddef>
#include <string_view>

namespace restante {

/// The least number of changes that turn `from` into `to`, where a change replaces, adds or removes
/// a byte or swaps two neighbours (optimal string alignment distance). *Pure function.*
std::size_t editDistance(std::string_view from, std::string_view to);

}  // namespace restante
