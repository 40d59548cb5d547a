#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>

namespace restante::redis {

/// What a look at the append-only file of a server that is not running has found and done. *Value.*
struct AppendOnlyCheck {
    std::filesystem::path file{};  ///< that was read; empty = nothing to read
    std::uint64_t bytes = 0;       ///< read
    std::uint64_t cut = 0;         ///< bytes behind the last whole transaction, cut off
    std::filesystem::path tail{};  ///< a copy of those; empty when there are none, or it could not
                                   ///< be written
    /// Transactions without an end in the midst of the file. Redis executes what is there of them:
    /// an earlier start, of Redis alone, has cut the file within one and written on.
    std::uint64_t unfinishedTransactions = 0;
    bool skipped = false;  ///< the server had ended in order, so nothing was read
};

/// Makes the append-only file in the data directory of a redis-server (or valkey-server) end with a
/// whole transaction: a script is one, from MULTI to EXEC, and Redis itself would cut a torn file
/// behind the last whole *command*, and execute half the script at its next start.
///
/// Only the last file that the manifest names can be torn, so only that one is read, once and from
/// its beginning; of a directory without a manifest `appendonly.aof`, unless it begins with an RDB
/// image. What is missing at its end, and zeros there that a file system leaves after a power cut,
/// is cut off; a copy goes to `torn/` beside it, the newest 8 of at most 16 MiB each. The file has
/// reached the disk when this returns.
///
/// Invalid: the file is damaged before its end, or data without a manifest: nothing was changed,
/// and the message says what to do. Unavailable: it cannot be read or written.
///
/// *One thread*, and no server may use the directory.
Result<AppendOnlyCheck> repairTornFile(const std::filesystem::path& directory);

/// Notes that the server has ended in order and has written everything. The next repairTornFile()
/// does not read a file that is as it is now. Called only when the server's exit status says so.
void markCleanShutdown(const std::filesystem::path& directory) noexcept;

}  // namespace restante::redis
