#pragma once

#include <string>
#include <vector>

namespace restante::test {

/// What a figure may do over a long run and still be called flat. *Value.*
struct Allowance {
    double share = 0.10;  ///< of its middle in the first part
    double amount = 0;    ///< and this much more, in the figure's unit
};

/// Compares the middle of the last third with that of the second: the first is left to caches and
/// pools that fill. Empty when the figure is flat, or has fewer than nine values, else a sentence.
std::string growthOf(const std::string& name, const std::vector<double>& values, Allowance allowed);

}  // namespace restante::test
