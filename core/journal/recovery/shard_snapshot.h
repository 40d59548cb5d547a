#pragma once

#include "core/journal/recovery/recording_settings.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace restante::journal {

/// Writes every job of the shard into the journal as it is in Redis, a few hashes at a time. A job
/// that is pushed meanwhile may be missed; the stream has its event. `newerIds` is null unless the
/// shard is older than the journal: then only these jobs and those unknown to the journal are
/// written, and the answer is the ids of the others that the journal says have
/// left Redis. Yields the
/// first error of Redis or the database. Borrows the context; destroying the returned object
/// cancels the answer. *One loop.*
[[nodiscard]] std::shared_ptr<void>
writeShardSnapshot(JournalContext context,
                   const RecordingSettings& settings,
                   std::shared_ptr<const std::set<std::string>> newerIds,
                   Done<std::vector<std::string>> done);

/// For a shard that has lost its newest writes, back to a time of which the journal has deleted
/// what has ended since (`journal.retention`). A job that the shard has and of which the journal
/// has nothing, unless it is one of `newerIds`, has ended: the journal had everything that lived
/// at its position. It is written into the journal as trashed, with where `restore` puts it back;
/// the caller then gives the shard what the journal has. Yields the ids; otherwise as above.
[[nodiscard]] std::shared_ptr<void>
trashForgottenJobs(JournalContext context,
                   const RecordingSettings& settings,
                   std::shared_ptr<const std::set<std::string>> newerIds,
                   Done<std::vector<std::string>> done);

}  // namespace restante::journal
