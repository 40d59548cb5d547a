#pragma once

#include "core/job/filter_node.h"

#include <string_view>
#include <utility>
#include <vector>

namespace restante {

/// Reads the grammar of docs/search.md. `text` is not blank. Bounded by JobFilter::kLongest and
/// kDeepest.
tl::expected<JobFilter::Node, FilterError> parseFilter(std::string_view text);

/// The words of fields, aliases included.
const std::vector<std::pair<std::string_view, FilterField>>& filterFields();

}  // namespace restante
