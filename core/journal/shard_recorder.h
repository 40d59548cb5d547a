#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/journal/sql_thread.h"
#include "core/redis/connection.h"
#include "core/redis/script_queue.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace restante::journal {

/// Carries one shard's event stream into SQL. docs/journal.md, "How it is written", has the steps.
///
/// At most one recorder in all programs works on a shard: it holds a lease in Redis (`Kjournal`),
/// and should two believe they do, SQL's cursor lets only one commit. What is committed moves the
/// cursor in the same transaction, so a crash at any point makes neither a gap nor a double row.
/// While the database does not answer, the stream waits in Redis; when more has come than Redis
/// keeps (`journal.backlog`), or the journal is new, it begins anew with everything that is in
/// Redis. *One loop*; borrows everything.
class ShardRecorder {
public:
    struct Parts {
        EventLoop& loop;
        const Clock& clock;
        SqlThread& sql;
        redis::Connection& commands;
    };
    struct Settings {
        redis::RedisUrl url;  ///< for a connection that waits for events
        std::string prefix = "rst";
        std::uint32_t shard = 0;
        std::uint32_t backlog = 1'000'000;  ///< `journal.backlog`
        std::string owner;                  ///< the same name takes over at once
        Millis lease{5'000};
        /// `journal.mode = "durable"`: it listens only once it can confirm.
        bool durable = false;
    };

    ShardRecorder(Parts parts, Settings settings);
    ShardRecorder(const ShardRecorder&) = delete;
    ShardRecorder& operator=(const ShardRecorder&) = delete;
    /// Leaves the lease to end by itself; prefer stop() first.
    ~ShardRecorder();

    /// Gives the lease up, so that somebody else goes on at once; then `stopped`.
    void stop(std::function<void()> stopped);

    enum class Step {
        Waiting,    ///< another program records this shard, or Redis is not there
        Preparing,  ///< looking where to go on, or reading all of Redis
        Recording,
        Stuck,  ///< the database does not answer
        Stopped,
    };
    Step step() const noexcept;

    /// Told once: from now on whatever happens in this shard is recorded, by this program or by
    /// another one.
    void onListening(std::function<void()> handler);

    /// Why a recording began anew with what is in Redis.
    enum class Rebuilt {
        New,         ///< the journal did not know this shard of this Redis
        Gap,         ///< events were cut off before they were recorded
        RolledBack,  ///< Redis has lost its newest events: the journal knows more
    };
    /// Told when that is done and recording has begun.
    void onRebuilt(std::function<void(Rebuilt)> handler);

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace restante::journal
