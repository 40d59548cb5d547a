#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/journal/sql/journal_url.h"
#include "core/redis/client/connection.h"
#include "core/redis/store/shard_queues.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace restante::journal {

/// Moves jobs of the shards that this process records between Redis and the table of cold jobs, in
/// pages, and resolves moves that were abandoned halfway (docs/decisions/0042-cold-jobs.md). The
/// scripts must be those of a served store. Borrows everything. *One loop.*
class ColdMover {
public:
    struct Settings {
        JournalUrl url;
        std::string prefix;
        std::uint32_t shards = 1;
        Millis horizon{0};  ///< 0 = all cold jobs come back into Redis
        /// Whether this process records the shard, and so also moves its jobs.
        std::function<bool(std::uint32_t shard)> isOwner;
    };

    /// Begins at once. Destroying it leaves unfinished moves to the next mover.
    static std::shared_ptr<ColdMover> start(EventLoop& loop,
                                            const Clock& clock,
                                            redis::Connection& connection,
                                            const redis::ShardQueues& scripts,
                                            Settings settings);
    virtual ~ColdMover() = default;
};

}  // namespace restante::journal
