#pragma once

#include "core/job/filter_node.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace restante {

/// A recipient or a key may be as long.
constexpr std::size_t kLongestFilterValue = 1'024;
/// Every job's body is searched for it.
constexpr std::size_t kLongestPayloadText = 128;

enum class FilterComparison { Is, Less, AtMost, More, AtLeast };

/// A value as it stands in a filter, with its quotes undone. *Value.*
struct FilterValue {
    std::string text;
    std::vector<std::size_t> stars;    ///< where in `text` a `*` stood, which is not in it
    std::optional<std::size_t> range;  ///< where in `text` its first unquoted `..` is
    bool quoted = false;
    std::size_t at = 0;  ///< where in the filter it begins

    bool empty() const { return text.empty() && stars.empty() && !quoted; }
    FilterPattern pattern() const;
};

/// Adds one value to a term: a pattern or a span, as the term's field wants it.
tl::expected<void, FilterError>
addFilterValue(JobFilter::Node& term, FilterComparison comparison, const FilterValue& value);

}  // namespace restante
