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
/// pages, and clears up what somebody has left between the two
/// (docs/decisions/0042-cold-jobs.md). The scripts must be those of a served store. Borrows all.
/// *One loop.*
class ColdMover {
public:
    struct Settings {
        JournalUrl url;
        std::string prefix;
        std::uint32_t shards = 1;
        Millis horizon{0};  ///< 0 = everything comes back
        /// Whether this process records the shard: then its moves are this one's, too.
        std::function<bool(std::uint32_t shard)> isOwner;
    };

    /// Begins at once; its end leaves what is under way for the next one.
    static std::shared_ptr<ColdMover> start(EventLoop& loop,
                                            const Clock& clock,
                                            redis::Connection& connection,
                                            const redis::ShardQueues& scripts,
                                            Settings settings);
    virtual ~ColdMover() = default;
};

}  // namespace restante::journal
