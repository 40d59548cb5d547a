#pragma once

#include "core/cli/connected_store.h"
#include "core/cli/daemon_client.h"

#include <deque>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace restante::cli {

struct Options;

/// One topic on one channel, as `top` shows it.
struct TopicLine {
    TopicCounts counts;
    std::uint64_t leased = 0;
    std::uint64_t dead = 0;
    std::optional<Millis> late = {};  ///< how long its oldest ready job has been due
    bool paused = false;
    std::string note = {};  ///< paused by whom, limited to what
};

/// What a store does at one moment, and a daemon that works on it. *Value.*
struct StoreSnapshot {
    TimePoint at{};
    StoreCounts counts;
    std::vector<TopicLine> topics;  ///< most overdue first, then the largest backlog
    bool leasedArePart = false;     ///< there are more than the topics' lines say
    bool deadArePart = false;
    std::optional<TimePoint> nextLeaseEnd;
    redis::StoreActivity activity;
    std::map<std::string, std::string> redis;  ///< INFO: redis_version, used_memory_human ...
    std::optional<Scrape> daemon;              ///< its /metrics
    std::string daemonProblem;                 ///< why there is none
};

/// Takes snapshots of a store, and keeps some. *One loop.*
class SnapshotReader {
public:
    /// With --redis nobody knows which daemon works on it: none is asked.
    SnapshotReader(ConnectedStore& store, const Options& options);

    /// Looks at everything once, by a few bounded commands for each shard and topic, and asks the
    /// daemon that the configuration names.
    Result<StoreSnapshot> read();
    /// What read() found some seconds before the last time; none at the first.
    const StoreSnapshot* before() const noexcept
    {
        return past_.size() > 1 ? &past_.front() : nullptr;
    }

private:
    Result<void> readTopics(StoreSnapshot& snapshot);
    void askDaemon(StoreSnapshot& snapshot);

    ConnectedStore& store_;
    std::optional<DaemonClient> daemon_;
    std::deque<StoreSnapshot> past_;
};

/// The fields of INFO.
Result<std::map<std::string, std::string>> redisInfo(ConnectedStore& store);

// A snapshot for people and for programs. `before` is an earlier one, for what is counted between
// two; null = none. *Pure functions.*

/// Lines of at most `width` columns (0 = as wide as it gets).
std::string
snapshotText(const StoreSnapshot& snapshot, const StoreSnapshot* before, std::size_t width);
nlohmann::json jsonOf(const StoreSnapshot& snapshot, const StoreSnapshot* before);

}  // namespace restante::cli
