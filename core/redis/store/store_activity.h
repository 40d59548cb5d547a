#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/job/job.h"
#include "core/job/job_state.h"
#include "core/queue/job_inspector.h"
#include "core/redis/store/shard_queues.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace restante::redis {

class Connection;
struct Reply;
struct StoreAddress;

/// Why a store is not served, and the progress (docs/journal.md, "Identity"). *Value.*
struct NotServed {
    enum class Why {
        Lost,        ///< Redis was emptied: everything is being brought back
        RolledBack,  ///< Redis has forgotten its newest writes: those are
        Foreign,     ///< the journal belongs to another store: an operator has to act
    };
    Why why = Why::Lost;
    std::uint64_t done = 0;   ///< jobs examined, over all shards
    std::uint64_t total = 0;  ///< 0 = not known yet

    friend bool operator==(const NotServed&, const NotServed&) = default;
};

/// How far the journal has recorded the events, over all shards. *Value.*
struct JournalProgress {
    Millis behind{0};    ///< age of the oldest event that is not recorded; 0 = none
    bool owned = true;   ///< every shard has a recorder
    std::string owners;  ///< "host/4711", several separated by spaces
};

/// The activity of a store since it began. *Value.*
struct StoreActivity {
    /// Jobs moved since the store began, by transition; a missing one = 0.
    std::map<std::string, std::uint64_t> moves;
    std::optional<JournalProgress> journal;
    std::optional<NotServed> notServed;  ///< none: the store is served
};

/// How many jobs are of which topic on which channel.
using JobsByTopic = std::map<std::pair<Channel, std::string>, std::uint64_t>;
/// Counts of the jobs that were examined.
struct PartlyCounted {
    JobsByTopic jobs;
    bool isComplete = true;  ///< all jobs were counted
};
/// How many jobs have which last error; "" = none is stored.
using JobsByError = std::map<std::string, std::uint64_t>;

/// Reads the activity of a whole store, for monitoring, by bounded scripts that only read.
///
/// Borrows everything. *One loop.*
class StoreActivityReader {
public:
    using Settings = StoreAddress;
    StoreActivityReader(EventLoop& loop,
                        Connection& connection,
                        const Clock& clock,
                        Settings settings);
    ~StoreActivityReader();

    void activity(Done<StoreActivity> done);
    /// The topics of the newest `most` jobs of each shard that are `state`: leased, held, dead,
    /// trashed or done. Held ones have no age: any `most` of them.
    void countByTopic(JobState state, std::uint64_t most, Done<JobsByTopic> done);
    /// The topics of all of them, however many: step by step, a question to each shard at a time,
    /// so that nobody waits behind it. What moves meanwhile may be counted as before or as after.
    void countAllByTopic(JobState state, Done<JobsByTopic> done);
    /// The same of scheduled and ready jobs of which an attempt has failed that still counts; until
    /// some `most` failed ones of a shard were looked at.
    void countRetryingByTopic(std::uint64_t most, Done<PartlyCounted> done);
    /// By last error, of the same jobs as countByTopic().
    void countByError(JobState state, std::uint64_t most, Done<JobsByError> done);

private:
    void countFrom(ScriptQueue& shard,
                   JobState state,
                   std::uint64_t rank,
                   JobsByTopic sum,
                   Done<JobsByTopic> done);
    struct RetryingWalk;
    void continueWalk(ScriptQueue& shard, std::shared_ptr<RetryingWalk> walk);
    template <class Counts>
    void countNewest(std::string_view scriptName,
                     JobState state,
                     std::uint64_t most,
                     Done<Counts> done,
                     std::function<void(Counts&, const Reply&)> add);

    const Clock& clock_;
    ShardQueues shards_;
};

/// Percentiles of how late ready jobs are: now less due. Exact, over all of them.
struct Lateness {
    Millis p50{0};
    Millis p95{0};
    Millis p99{0};
    Millis most{0};
};

/// A store at one moment. *Value.*
struct StoreStats {
    TimePoint at{};
    StoreCounts counts;
    /// Jobs moved since the store began, by transition and by whomever; the difference of two
    /// samples is a rate. In: push; out: finish, bury, expire ...
    std::map<std::string, std::uint64_t> moves;
    std::optional<Lateness> lateness;  ///< none: nothing is ready
    std::optional<JournalProgress> journal;
};

/// Which jobs a sample's lateness is about. Empty members do not restrict. *Value.*
struct SampleScope {
    std::string topic = {};
    std::optional<Channel> channel = {};
};

/// Asks how late the `ready` ready jobs of a scope are at `at`, by four look-ups at once. The p-th
/// percentile is the lateness that p per cent of the jobs do not exceed. `inspector` outlives the
/// answer.
void askLateness(JobInspector& inspector,
                 const SampleScope& scope,
                 std::uint64_t ready,
                 TimePoint at,
                 Done<Lateness> done);

/// Reads statistics of a store, every second or so, by commands that only read; with a Redis
/// connection, without a daemon. Borrows everything. *One loop.*
class StoreStatsReader {
public:
    /// The source of the activity, such as a StoreActivityReader.
    using ActivitySource = std::function<void(Done<StoreActivity>)>;

    StoreStatsReader(JobInspector& inspector, ActivitySource activity, const Clock& clock);

    /// May be asked again before it has answered.
    void sample(Done<StoreStats> done) { sample({}, std::move(done)); }
    /// Counts and moves are the whole store's, the lateness that of the scope.
    void sample(SampleScope scope, Done<StoreStats> done);

private:
    JobInspector& inspector_;
    ActivitySource activity_;
    const Clock& clock_;
};

}  // namespace restante::redis
