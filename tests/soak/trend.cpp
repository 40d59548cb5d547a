#include "tests/soak/trend.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

namespace restante::test {

namespace {

// A third of fewer has no middle that one stray value cannot be.
constexpr std::size_t kFewest = 9;

double middleOf(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

std::string growthOf(const std::string& name, const std::vector<double>& values, Allowance allowed)
{
    if (values.size() < kFewest) {
        return {};
    }
    const auto third = static_cast<std::ptrdiff_t>(values.size() / 3);
    const auto before = middleOf({values.begin() + third, values.begin() + 2 * third});
    const auto after = middleOf({values.end() - third, values.end()});
    if (after <= before * (1 + allowed.share) + allowed.amount) {
        return {};
    }
    return fmt::format("{} grew from {:.0f} to {:.0f}", name, before, after);
}

}  // namespace restante::test
