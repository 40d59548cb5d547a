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

/// The journal of one process, on threads of its own: a loop with its Redis connections, and
/// some that wait for the database. Records the shards that no other process records, recovers
/// jobs, deletes old rows, and answers queries. *Any thread.*
class JournalService final : public JobHistory, public JobRecovery {
public:
    struct Settings {
        redis::RedisUrl redis;
        Config config;
        JournalUrl journal;
        /// Identifies this process to the others. A process with the name of a crashed one takes
        /// its shards over at once, so only the sole process of a store may have a fixed name.
        std::string owner;
        bool movesColdJobs = false;  ///< `queue.hot_horizon` is on, or there are cold jobs
        bool recoverLost = true;     ///< `journal.recover`: recover what an empty Redis has lost
        /// The operator who asked for the recovery, and the reason, for the audit; empty: the
        /// daemon itself.
        std::string actor = {};
        std::string reason = {};
    };

    explicit JournalService(Settings settings);
    /// Gives its shards up and waits for the running database work.
    ~JournalService() override;

    /// Opens the database, compares Redis with the journal, begins to record, and recovers what a
    /// lost Redis had; answers on `loop` when all of that is done. Unavailable or Invalid says what
    /// is wrong and what to do. Called once.
    void open(EventLoop& loop, Done<void> done);

    void history(EventLoop& loop, std::string id, Done<std::vector<HistoryRow>> done) override;
    void recover(EventLoop& loop, RecoverRequest request, Done<RecoverOutcome> done) override;
    void dropRequestsOf(EventLoop& loop) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// For a daemon without a journal: frees the event streams that another daemon, or an earlier
/// configuration, kept for its journal. Shards that have a recorder are not changed.
void releaseOutbox(EventLoop& loop,
                   redis::Connection& connection,
                   const Clock& clock,
                   const Config& config);

}  // namespace restante::journal
