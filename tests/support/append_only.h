#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace restante::test {

/// A command of an append-only file.
struct LoggedCommand {
    std::vector<std::string> words;
};

/// The commands of an append-only file, up to the first malformed one.
std::vector<LoggedCommand> commandsOf(std::string_view file);

/// The append-only file that a server with this data directory writes to.
std::filesystem::path lastIncrementIn(const std::filesystem::path& directory);

}  // namespace restante::test
