#include "tests/bench/table/spread.h"

#include <algorithm>

namespace restante::bench {

Spread spreadOf(std::vector<double> figures)
{
    if (figures.empty()) {
        return {};
    }
    std::sort(figures.begin(), figures.end());
    const auto middle = figures.size() / 2;
    const double median =
        figures.size() % 2 == 1 ? figures[middle] : (figures[middle - 1] + figures[middle]) / 2;
    return {figures.front(), median, figures.back()};
}

}  // namespace restante::bench
