#pragma once

#include "core/journal/outbox/journal_event.h"
#include "core/journal/recovery/recording_settings.h"
#include "core/queue/job_history.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace restante::journal {

/// What to restore of a shard. *Value.*
struct RestoreRequest {
    /// None: the shard was emptied. All jobs of the journal that must be in Redis (dead and trashed
    /// ones, too) are restored, messages in the order of their mailboxes and before messages stored
    /// since; jobs of the shard stay as they are. Otherwise the shard has lost its writes after
    /// this event: each job that moved after it gets the status of the journal; jobs that have
    /// ended there are removed.
    std::optional<StreamId> lastKeptEvent = {};
    /// For an emptied shard: it is an older copy of itself, so the jobs that it has get the status
    /// of the journal, too.
    bool isOlderCopy = false;
    std::vector<std::string> leftRedisIds =
        {};  ///< of an older copy: jobs that the journal says have left Redis
    std::set<std::string> newerIds =
        {};  ///< jobs whose status in the shard is newer: they are left alone
};
/// Called before each page, not after the last: how many jobs have been examined, and of how many
/// as far as that is known.
using RestoreProgress = std::function<void(std::uint64_t examined, std::uint64_t total)>;

/// Restores one shard that is not served from the journal (docs/journal.md, "Recovery"). Every step
/// may be repeated from the beginning, as after a crash. *One loop*; borrows the context;
/// destroying the returned object cancels the answer.
[[nodiscard]] std::shared_ptr<void> restoreShard(JournalContext context,
                                                 RecordingSettings settings,
                                                 RestoreRequest request,
                                                 RestoreProgress progress,
                                                 Done<RecoverOutcome> done);

}  // namespace restante::journal
