#pragma once

#include "core/journal/recovery/shard_comparison.h"
#include "core/redis/client/redis_url.h"

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
/// While the database does not answer, the stream waits in Redis. Whenever the shard is not served
/// it is compared with the journal first (ShardComparison), which lets it be served, and may bring
/// the store back or begin the journal anew. *One loop*; borrows everything.
class ShardRecorder {
public:
    struct Settings : ShardSettings {
        redis::RedisUrl url;                ///< for a connection that waits for events
        std::uint32_t backlog = 1'000'000;  ///< `journal.backlog`
        Millis lease{5'000};
    };

    using ComparisonOutcome = ShardComparison::ComparisonOutcome;
    struct Handlers {
        /// Told once: the shard is served, and from now on whatever happens in it is recorded, by
        /// this program or by another one.
        std::function<void()> onRecordingAssured;
        /// Told when a comparison has ended that was more than a look, and recording has begun;
        /// `token` is the one by which the shard is served.
        std::function<void(ComparisonOutcome, const std::string& token)> rebuilt;
        /// Told once a refusal: the journal belongs to another store. It is asked again now and
        /// then.
        std::function<void(const Error&)> foreign;
    };

    /// Begins at once. Its end leaves the lease to end by itself; prefer stop() first.
    static std::shared_ptr<ShardRecorder>
    start(ShardParts parts, Settings settings, Handlers handlers);
    virtual ~ShardRecorder() = default;

    /// Gives the lease up, so that somebody else goes on at once; then `stopped`.
    virtual void stop(std::function<void()> stopped) = 0;

    enum class Step {
        Waiting,    ///< another program records this shard, or Redis is not there
        Preparing,  ///< comparing it with the journal, or reading all of Redis
        Recording,
        Stuck,  ///< the database does not answer
        Stopped,
    };
    virtual Step step() const noexcept = 0;

    /// Whether the database answers somebody else: while it hangs, those who wait for the journal
    /// are told so before they give it anything.
    virtual void setAnswering(bool answers) = 0;

    /// The database may be another one than before: it is compared with Redis before more is
    /// recorded.
    virtual void lookAgain() = 0;
};

}  // namespace restante::journal
