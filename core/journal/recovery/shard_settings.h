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

/// What whoever works on a shard and its journal borrows.
struct ShardParts {
    EventLoop& loop;
    const Clock& clock;
    SqlThread& sql;
    redis::Connection& commands;
};

/// Which shard, and how it is recorded and recovered. *Value.*
struct ShardSettings {
    std::string prefix = "rst";
    std::uint32_t shard = 0;
    std::uint32_t shards = 1;
    std::string owner = {};    ///< of the shard's lease; the same name takes over at once
    std::string process = {};  ///< never the same in two processes
    bool recovers = true;      ///< `journal.recover`; else what is lost is left to the operator
    bool keepsDone = false;    ///< `retention.done` > 0
    bool durable = false;      ///< `journal.mode = "durable"`: whoever pushes waits for the journal
    /// An operator who has what was emptied brought back, and why, for the audit; empty: nobody.
    std::string actor = {};
    std::string reason = {};
};

}  // namespace restante::journal
