#pragma once

#include "core/base/thread_times.h"
#include "core/journal/recorder/recording_pace.h"
#include "core/journal/recovery/shard_comparison.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/store/commit_notices.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace restante::journal {

/// Carries one shard's event stream into SQL. docs/journal.md, "How it is written", has the steps.
///
/// At most one recorder in all programs works on a shard: it holds a lease in Redis (`Kjournal`),
/// and if two believe they hold it, the cursor in SQL lets only one commit. A commit moves the
/// cursor in the same transaction, so a crash at any point leaves neither a gap nor a duplicate
/// row. While the database does not answer, the stream waits in Redis. Whenever the shard is not
/// served, it is first compared with the journal (ShardComparison), which opens it for service, and
/// may restore the store or rebuild the journal. *One loop*; borrows everything.
class ShardRecorder {
public:
    struct Settings : RecordingSettings {
        redis::RedisUrl url;                ///< for a connection that waits for events
        std::uint32_t backlog = 1'000'000;  ///< `journal.backlog`
        Millis lease{5'000};
        /// Who waits for commits in this process; null = nobody, or they hear of them from Redis.
        /// Borrowed.
        redis::CommitNotices* notices = nullptr;
        /// What may wait while other threads want the cores.
        RecordingPace::Limits pace = RecordingPace::Limits::none();
        /// Asked on the thread that commits, before and after.
        std::function<std::optional<ThreadTimes>()> threadTimes = restante::threadTimes;
    };

    struct Handlers {
        /// Called once: the shard is served, and all events from now on are recorded, by this
        /// program or by another one.
        std::function<void()> onRecordingAssured;
        /// Called when a comparison has ended and recording has begun; `token` is the one by which
        /// the shard is served.
        std::function<void(const std::string& token)> onCompared;
        /// Called once per refusal: the journal belongs to another store. The recorder keeps
        /// trying.
        std::function<void(const Error&)> onForeignJournal;
    };

    /// Begins at once. Destroying it leaves the lease to lapse; prefer stop() first.
    static std::shared_ptr<ShardRecorder>
    start(JournalContext context, Settings settings, Handlers handlers);
    virtual ~ShardRecorder() = default;

    /// Gives the lease up, so that another recorder can continue at once; then calls `stopped`.
    virtual void stop(std::function<void()> stopped) = 0;

    enum class Step {
        Waiting,    ///< another program records this shard, or Redis is not there
        Preparing,  ///< comparing it with the journal, or reading all of Redis
        Recording,
        Stuck,  ///< the database does not answer
        Stopped,
    };
    virtual Step step() const noexcept = 0;
    /// It records and, as far as is known, nobody else does: false as soon as Redis is away, where
    /// another program may have taken the lease meanwhile.
    virtual bool isOwner() const noexcept = 0;

    /// Tells whether the database answers other queries: while it hangs, clients that wait for the
    /// journal are told so before they push.
    virtual void setDatabaseAnswers(bool answers) = 0;

    /// The database may be a new one: it is compared with Redis before more is recorded.
    virtual void compareAgain() = 0;
};

}  // namespace restante::journal
