#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

namespace restante {

/// Reads a descriptor to its end, or until more than `sizeLimit` bytes have been read. A result
/// that is longer than `sizeLimit` (by 4,096 bytes at most) tells the caller that there was too
/// much. None when reading fails, as it does on a directory; errno says why.
std::optional<std::string> readAll(int descriptor,
                                   std::size_t sizeLimit = std::numeric_limits<std::size_t>::max());

/// All of a file, or of what a FIFO's writer sends. None when it cannot be opened or read; errno
/// says why.
std::optional<std::string> readFile(const std::filesystem::path& path);

}  // namespace restante
