#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/journal/sql/sql_thread.h"

#include <cstdint>
#include <string>

namespace restante::redis {
class Connection;
}  // namespace restante::redis

namespace restante::journal {

/// What everything that works on shards and their journal borrows.
struct JournalContext {
    EventLoop& loop;
    const Clock& clock;
    SqlThread& sql;
    redis::Connection& commands;
};

/// Which shard is recorded or recovered, and how. *Value.*
struct RecordingSettings {
    std::string prefix = "rst";
    std::uint32_t shard = 0;
    std::uint32_t shards = 1;
    std::string owner =
        {};  ///< owner of the shard's lease; a process with the same name takes over at once
    std::string process = {};  ///< never the same in two processes
    bool recovers = true;      ///< `journal.recover`; false: lost jobs are left to the operator
    bool keepsDone = false;    ///< `retention.done` > 0
    /// `journal.mode = "durable"`: calls wait for the journal (redis::Confirms).
    bool durable = false;
    /// The operator who asked for the recovery, and the reason, for the audit; empty: none.
    std::string actor = {};
    std::string reason = {};
};

}  // namespace restante::journal
