#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/journal/sql/sql_thread.h"
#include "core/redis/client/connection.h"
#include "core/redis/store/script_queue.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace restante::journal {

/// Writes every job of one shard into the journal as it is in Redis, a few hashes at a time. A job
/// that is pushed meanwhile may be missed: the stream tells of it. Of a shard that is older than
/// the journal only the jobs are written that the journal does not know. *One loop*; borrows
/// everything.
class StoreScan {
public:
    struct Parts {
        EventLoop& loop;
        const Clock& clock;
        SqlThread& sql;
        redis::Connection& commands;
        redis::ScriptQueue& scripts;
    };
    struct Settings {
        std::string shardPrefix;
        std::uint32_t shard = 0;
        /// Set: the shard is older than the journal, but for these jobs.
        std::shared_ptr<const std::set<std::string>> newer = {};
    };

    StoreScan(Parts parts, Settings settings);
    StoreScan(const StoreScan&) = delete;
    StoreScan& operator=(const StoreScan&) = delete;
    /// It is not answered any more.
    ~StoreScan();

    /// Called once; answers which jobs of an older shard have ended in the journal. The error is
    /// the first that Redis or the database had.
    void run(Done<std::vector<std::string>> done);

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace restante::journal
