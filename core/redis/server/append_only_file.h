#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>

namespace restante::redis {

/// The result of repairTornFile(). *Value.*
struct AppendOnlyCheck {
    std::filesystem::path file{};  ///< the one that may be torn; empty = there is none
    std::uint64_t bytes = 0;       ///< read
    std::uint64_t bytesCut = 0;    ///< cut off behind the last whole transaction
    /// A copy of the bytes cut off; empty when there are none, or it could not be written.
    std::filesystem::path tail{};
    /// Transactions without an end in the middle of the file, which Redis executes in part: at an
    /// earlier start Redis itself has cut the file within one and appended to it.
    std::uint64_t unfinishedTransactions = 0;
    bool skipped = false;  ///< the server had shut down cleanly, so nothing was read
};

/// Makes the append-only file in the data directory of a redis-server (or valkey-server) end with a
/// whole transaction: a script is one, from MULTI to EXEC, and Redis itself would cut a torn file
/// behind the last whole *command*, and execute half the script at its next start.
///
/// Only the last file that the manifest names can be torn, so only that one is read, once and from
/// its beginning; in a directory without a manifest it is `appendonly.aof`, unless that begins with
/// an RDB image. An incomplete transaction at its end, and zeros there that a file system leaves
/// after a power cut, are cut off; a copy goes to `torn/` in the data directory, the newest 8 of at
/// most 16 MiB each. The file has reached the disk when this returns.
///
/// Invalid: the file is damaged before its end, or data without a manifest: nothing was changed,
/// and the message says what to do. Unavailable: it cannot be read or written.
///
/// *One thread*, and no server may use the directory.
Result<AppendOnlyCheck> repairTornFile(const std::filesystem::path& directory);

/// Records that the server has shut down cleanly and has written everything: the next
/// repairTornFile() does not read the file if it has not changed. Called only when the server's
/// exit status says so.
void markCleanShutdown(const std::filesystem::path& directory) noexcept;

}  // namespace restante::redis
