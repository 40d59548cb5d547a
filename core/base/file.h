#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

namespace restante {

/// Reads a descriptor to its end, but stops after more than `most` bytes, at most 4,096 beyond; a
/// caller with a bound checks the size. None when reading fails, as it does on a directory; errno
/// says why.
std::optional<std::string> readAll(int descriptor,
                                   std::size_t most = std::numeric_limits<std::size_t>::max());

/// All of a file, or of what a FIFO's writer sends. None when it cannot be opened or read; errno
/// says why.
std::optional<std::string> readFile(const std::filesystem::path& path);

}  // namespace restante
