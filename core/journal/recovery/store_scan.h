#pragma once

#include "core/journal/recovery/shard_settings.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace restante::journal {

/// Writes every job of the shard into the journal as it is in Redis, a few hashes at a time. A job
/// that is pushed meanwhile may be missed: the stream tells of it. Of a shard that is older than
/// the journal, but for the jobs `newer` (else null), only the jobs are written that the journal
/// does not know; answers which of the others have ended there. The error is the first that Redis
/// or the database had. Borrows the parts; nothing is answered once what it returns
/// is destroyed. *One loop.*
[[nodiscard]] std::shared_ptr<void> scanStore(ShardParts parts,
                                              const ShardSettings& settings,
                                              std::shared_ptr<const std::set<std::string>> newer,
                                              Done<std::vector<std::string>> done);

}  // namespace restante::journal
