#pragma once

#include "core/base/result.h"

#include <chrono>
#include <filesystem>

namespace restante::cli {

/// How long the first certificate of a PEM file is still valid (negative: it has expired), once it
/// is sure that `key` is its private key. The error names the file that is wrong.
Result<std::chrono::hours> certificateExpiry(const std::filesystem::path& certificate,
                                             const std::filesystem::path& key);

}  // namespace restante::cli
