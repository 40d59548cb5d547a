#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/journal/sql_thread.h"
#include "core/redis/connection.h"
#include "core/redis/script_queue.h"

#include <cstdint>
#include <memory>
#include <string>

namespace restante::journal {

/// Writes every job of one shard into the journal as it is in Redis, a few hashes at a time. A job
/// that is pushed meanwhile may be missed: the stream tells of it. *One loop*; borrows everything.
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
    };

    StoreScan(Parts parts, Settings settings);
    StoreScan(const StoreScan&) = delete;
    StoreScan& operator=(const StoreScan&) = delete;
    /// It is not answered any more.
    ~StoreScan();

    /// Called once. The error is the first that Redis or the database had.
    void run(Done<void> done);

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace restante::journal
