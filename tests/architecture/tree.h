#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace restante::architecture {

/// The checkout and the build directory under test, from ctest's environment.
std::filesystem::path sourceRoot();
std::filesystem::path buildRoot();

/// Every file below `folder` (relative to the checkout) with one of `extensions`, as sorted paths
/// relative to the checkout. Empty when there is no such folder.
std::vector<std::string> filesBelow(std::string_view folder,
                                    const std::vector<std::string>& extensions);

/// C++ sources and headers of the whole project.
std::vector<std::string> sources();

/// Fails the test, by throwing, when the file cannot be read.
std::string contentOf(const std::string& file);
std::vector<std::string> linesOf(const std::string& file);

/// What the file includes, as written: `"core/job/job.h"` or `<vector>`, with its quotes.
std::vector<std::string> includesOf(const std::string& file);

/// Standard output of a command; throws when it cannot run or does not exit with 0.
std::string outputOf(const std::string& command);

}  // namespace restante::architecture
