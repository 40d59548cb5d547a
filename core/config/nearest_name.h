#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace restante {

/// How many letters must be changed, added, dropped or swapped with a neighbour to get from one to
/// the other (optimal string alignment).
std::size_t editDistance(std::string_view from, std::string_view to);

/// The name that was probably meant, or "" when none is near: more than a third of the letters
/// wrong is another word, not a slip.
std::string_view nearestName(std::string_view word, std::span<const std::string_view> names);

}  // namespace restante
