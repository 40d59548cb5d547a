#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace restante::architecture {

/// Which folders include from which others, each with one such include: "core/a/x.cpp includes
/// core/b/y.h". A folder that includes nobody's files is there, too. *Value.*
using FolderGraph = std::map<std::string, std::map<std::string, std::string>>;

/// The folders with sources of a tree ("core"), each directory on its own: core/redis/client and
/// core/redis/store are two.
FolderGraph foldersOf(std::string_view tree);
/// The folders directly below a tree, each with all that is below it: both are core/redis.
FolderGraph wholeFoldersOf(std::string_view tree);

/// How many production files (.cpp of core, sipplugin and gui) each header of core reaches, by
/// includes of includes: what is compiled again when it changes.
struct Reach {
    std::size_t programs = 0;  ///< all those files
    std::map<std::string, std::size_t> of;
};
Reach reachOfCoreHeaders();

/// Empty when no includes run in a cycle; else at least one cycle of each knot, told by its
/// includes.
std::vector<std::string> cyclesIn(const FolderGraph& graph);

}  // namespace restante::architecture
