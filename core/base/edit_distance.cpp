#include "core/base/edit_distance.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace restante {

std::size_t editDistance(std::string_view from, std::string_view to)
{
    std::vector<std::size_t> rowBeforePrevious(to.size() + 1);
    std::vector<std::size_t> previousRow(to.size() + 1);
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), 0U);
    for (std::size_t i = 1; i <= from.size(); ++i) {
        rowBeforePrevious.swap(previousRow);
        previousRow.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t substitutionCost = from[i - 1] == to[j - 1] ? 0 : 1;
            row[j] = std::min(
                {previousRow[j] + 1, row[j - 1] + 1, previousRow[j - 1] + substitutionCost});
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
                row[j] = std::min(row[j], rowBeforePrevious[j - 2] + 1);
            }
        }
    }
    return row.back();
}

}  // namespace restante
