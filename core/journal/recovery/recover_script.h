#pragma once

#include "core/base/clock.h"
#include "core/journal/sql/sql_journal.h"
#include "core/queue/job_history.h"
#include "core/redis/store/script_queue.h"

#include <optional>
#include <string>
#include <string_view>

namespace restante::journal {

/// How a job is put back to where the journal has it.
///
/// What was leased stays so while its lease stands at `now`: until the end that its last touch has
/// told, or else from its claim for the job's time to run. Whoever works on it may then still say
/// what became of it. Else it is ready, or in its mailbox, and that attempt is used up; so it is
/// without `now`. What is done is "gone" unless the store keeps it (`keepsDone`).
struct RecoverOptions {
    std::string_view newest;  ///< the highest arrival number that the journal knows
    bool keepsDone = false;
    std::optional<TimePoint> now = {};
    std::string_view actor = {};  ///< as ShardSettings'
    std::string_view reason = {};
};

enum class RecoverScript {
    Recover,  ///< recover.lua: unless the store has the job
    Replay,   ///< replay.lua: whatever the store has of it
};
void bringBack(redis::ScriptQueue& scripts,
               RecoverScript script,
               const StoredMessage& message,
               const RecoverOptions& options,
               redis::ScriptQueue::Answer answer);

/// The status word of either, or nothing.
std::string statusOf(const redis::Reply& reply);
/// Counts it; what is unreadable is told to the log.
void count(RecoverOutcome& outcome, std::string_view id, const redis::Reply& reply);

}  // namespace restante::journal
