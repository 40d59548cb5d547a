#pragma once

#include "core/cli/store_snapshot.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

/// A snapshot for people and for programs. `before` is an earlier one, for what is counted between
/// two; null = none. *Pure functions.*
namespace restante::cli {

/// Lines of at most `width` columns (0 = as wide as it gets).
std::string
printSnapshot(const StoreSnapshot& snapshot, const StoreSnapshot* before, std::size_t width);
nlohmann::json jsonOf(const StoreSnapshot& snapshot, const StoreSnapshot* before);

}  // namespace restante::cli
