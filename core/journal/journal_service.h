#pragma once

#include "core/base/clock.h"
#include "core/config/config.h"
#include "core/journal/sql/journal_url.h"
#include "core/queue/job_history.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/redis_url.h"

#include <memory>
#include <string>

namespace restante::journal {

/// The journal of one process, on threads of its own: one loop with its Redis connections, and one
/// that waits for the database. Records the shards that nobody else records, recovers, deletes what
/// is old, and answers questions. *Any thread.*
class JournalService final : public JobHistory, public JobRecovery {
public:
    struct Settings {
        redis::RedisUrl redis;
        Config config;
        JournalUrl journal;
        /// Names this process to the others. A name that a crashed predecessor had, too, takes its
        /// shards over at once; so only the sole process of a store has a fixed one.
        std::string owner;
        bool movesColdJobs = false;  ///< `queue.hot_horizon` is on, or there are some
        bool recoverLost = true;     ///< `journal.recover`: what an empty Redis has lost
        /// An operator who has it recovered, and why, for the audit; empty: the daemon does.
        std::string actor = {};
        std::string reason = {};
    };

    explicit JournalService(Settings settings);
    /// Gives its shards up and waits for what the database is doing.
    ~JournalService() override;

    /// Opens the database, looks whether Redis is the one that the journal knows, begins to record,
    /// and recovers what a lost Redis had; answers on `loop` when all of that is done. Unavailable
    /// or Invalid says what is wrong and what to do. Called once.
    void open(EventLoop& loop, Done<void> done);

    void history(EventLoop& loop, std::string id, Done<std::vector<HistoryRow>> done) override;
    void recover(EventLoop& loop, RecoverRequest request, Done<RecoverOutcome> done) override;
    void dropRequestsOf(EventLoop& loop) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// For a daemon without a journal: frees the event streams that another daemon, or an earlier
/// configuration, kept for its journal. Shards that have a recorder are left alone.
void releaseOutbox(EventLoop& loop,
                   redis::Connection& connection,
                   const Clock& clock,
                   const Config& config);

}  // namespace restante::journal
