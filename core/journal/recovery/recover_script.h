#pragma once

#include "core/base/clock.h"
#include "core/journal/sql/sql_journal.h"
#include "core/queue/job_history.h"
#include "core/redis/store/script_queue.h"

#include <optional>
#include <string>
#include <string_view>

namespace restante::journal {

/// How a job is restored to the status that the journal has of it.
///
/// A leased job stays leased while its lease is valid at `now`: until the end that its last touch
/// has set, or for its time to run after its claim. Its worker may then still end the attempt.
/// Otherwise, and always without `now`, it is ready or in its mailbox, and the attempt is used up.
/// A done job is "gone" unless the store keeps it (`keepsDone`), from when it ended; and so is a
/// cold one, which is in a table of its own.
struct RecoverOptions {
    std::string_view highestArrival;  ///< the highest arrival number that the journal knows
    bool keepsDone = false;
    std::optional<TimePoint> now = {};
    std::string_view actor = {};  ///< as in RecordingSettings
    std::string_view reason = {};
};

enum class RecoverScript {
    Recover,  ///< recover.lua: only if the store does not have the job
    Replay,   ///< replay.lua: replaces what the store has of it
};
void restoreJob(redis::ScriptQueue& scripts,
                RecoverScript script,
                const MessageRow& message,
                const RecoverOptions& options,
                redis::ScriptQueue::Answer answer);

/// The status word of either script, or an empty text.
std::string statusOf(const redis::Reply& reply);
/// Counts the reply; logs a job that cannot be restored.
void countOutcome(RecoverOutcome& outcome, std::string_view id, const redis::Reply& reply);

}  // namespace restante::journal
