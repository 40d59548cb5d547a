#pragma once

#include <cstddef>
#include <string_view>

namespace restante {

/// How many letters must be changed, added, dropped or swapped with a neighbour to get from one to
/// the other (optimal string alignment). *Pure function.*
std::size_t editDistance(std::string_view from, std::string_view to);

}  // namespace restante
