#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace restante::test {

/// Packages of npm, each "NAME@VERSION", in a folder of the build directory: installed once, by the
/// first test process. *Value.*
struct NodePackages {
    /// `name` is the folder's.
    NodePackages(const std::string& name, const std::vector<std::string>& packages);

    std::filesystem::path folder;  ///< where node finds them
    std::string missing;           ///< why they are not there; empty when they are
};

}  // namespace restante::test
