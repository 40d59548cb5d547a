#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace restante::test {

/// Packages of npm, each "NAME@VERSION", in a folder of the build directory: put there once, by
/// whichever test process comes first. *Value.*
struct NodePackages {
    /// `name` is the folder's.
    NodePackages(const std::string& name, const std::vector<std::string>& packages);

    std::filesystem::path folder;  ///< where node has to be started to find them
    std::string missing;           ///< why they are not there; empty when they are
};

}  // namespace restante::test
