#pragma once

#include "core/queue/job_inspector.h"
#include "core/redis/store/store_activity.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace restante::redis {

/// How late ready jobs are that nobody has taken yet: now less due. Exact, over all of them.
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
struct SampleShare {
    std::string topic = {};
    std::optional<Channel> channel = {};
};

/// Asks how late the `ready` ready jobs of a share are at `at`, by four look-ups at once. The p-th
/// percentile is the lateness that p per cent of the jobs do not exceed. `inspector` outlives the
/// answer.
void askLateness(JobInspector& inspector,
                 const SampleShare& share,
                 std::uint64_t ready,
                 TimePoint at,
                 Done<Lateness> done);

/// Reads statistics of a store, every second or so, by commands that only read; with a Redis
/// connection, without a daemon. Borrows everything. *One loop.*
class StoreStatsReader {
public:
    /// Where the activity comes from, if not from a StoreActivityReader.
    using ActivitySource = std::function<void(Done<StoreActivity>)>;

    StoreStatsReader(JobInspector& inspector, StoreActivityReader& watch, const Clock& clock);
    StoreStatsReader(JobInspector& inspector, ActivitySource activity, const Clock& clock);

    /// May be asked again before it has answered.
    void sample(Done<StoreStats> done) { sample({}, std::move(done)); }
    /// Counts and moves are the whole store's, the lateness that of the share.
    void sample(SampleShare share, Done<StoreStats> done);

private:
    JobInspector& inspector_;
    ActivitySource activity_;
    const Clock& clock_;
};

}  // namespace restante::redis
