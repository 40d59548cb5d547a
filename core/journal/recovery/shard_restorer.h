#pragma once

#include "core/journal/outbox/journal_event.h"
#include "core/journal/recovery/shard_settings.h"
#include "core/queue/job_history.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace restante::journal {

/// How much of a shard is brought back. *Value.*
struct RestoreRequest {
    /// None: the shard was emptied. All that lives in the journal comes back, messages in the order
    /// of their mailboxes, what has been stored since behind them; what the shard has stays as it
    /// is. Else it has forgotten what it wrote after this event: each job that moved after it
    /// stands again as the journal has it; what has ended there is forgotten.
    std::optional<StreamId> event = {};
    /// Of an emptied shard: it is an older copy of itself, so what it has and the journal knows
    /// stands again as the journal has it, too.
    bool isOlder = false;
    std::vector<std::string> ended = {};  ///< of an older copy: those that have ended there
    std::set<std::string> newer = {};     ///< the shard knows more of them: they are left alone
};
/// Told now and then: how many jobs were looked at, and of how many.
using RestoreProgress = std::function<void(std::uint64_t done, std::uint64_t of)>;

/// Brings one shard that is not served back to where the journal has it (docs/journal.md,
/// "Recovery"). Every step may be repeated from the beginning: whoever goes on after a crash just
/// does it again. *One loop*; borrows the parts; nothing is answered once what it returns is
/// destroyed.
[[nodiscard]] std::shared_ptr<void> restoreShard(ShardParts parts,
                                                 ShardSettings settings,
                                                 RestoreRequest request,
                                                 RestoreProgress progress,
                                                 Done<RecoverOutcome> done);

}  // namespace restante::journal
