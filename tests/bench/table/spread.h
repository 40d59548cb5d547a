#pragma once

#include <vector>

namespace restante::bench {

/// The lowest, the middle and the highest figure of a row's rounds. *Value.*
struct Spread {
    double low = 0;
    double median = 0;
    double high = 0;
};

/// All zero without figures. Of an even number the median is the mean of the two in the middle.
Spread spreadOf(std::vector<double> figures);

}  // namespace restante::bench
