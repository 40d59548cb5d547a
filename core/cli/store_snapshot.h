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
    std::string note = {};  ///< who paused it, and its limits
};

/// The state of a store, and of a daemon that works on it, at one time. *Value.*
struct StoreSnapshot {
    TimePoint at{};
    StoreCounts counts;
    std::vector<TopicLine> topics;  ///< most overdue first, then the largest backlog
    bool leasedArePart = false;     ///< the topics' lines do not count all of them
    bool deadArePart = false;
    std::optional<TimePoint> nextLeaseEnd;
    redis::StoreActivity activity;
    std::map<std::string, std::string> redis;  ///< INFO: redis_version, used_memory_human ...
    std::optional<Scrape> daemon;              ///< its /metrics
    std::string daemonProblem;                 ///< why there is none
};

/// Takes snapshots of a store, and keeps recent ones. *One loop.*
class SnapshotReader {
public:
    /// With --redis the daemon is unknown, so none is asked.
    SnapshotReader(ConnectedStore& store, const Options& options);

    /// Takes one snapshot, by a few bounded commands for each shard and topic, and asks the daemon
    /// that the configuration names.
    Result<StoreSnapshot> read();
    /// An earlier snapshot than the last one, by some seconds once there is such a one; null after
    /// the first read().
    const StoreSnapshot* before() const noexcept
    {
        return snapshots_.size() > 1 ? &snapshots_.front() : nullptr;
    }

private:
    Result<void> readTopics(StoreSnapshot& snapshot);
    void askDaemon(StoreSnapshot& snapshot);

    ConnectedStore& store_;
    std::optional<DaemonClient> daemon_;
    std::deque<StoreSnapshot> snapshots_;
};

/// The fields of INFO.
Result<std::map<std::string, std::string>> redisInfo(ConnectedStore& store);

// A snapshot for people and for programs. `before` is an earlier one, for rates; null = none. *Pure
// functions.*

/// Lines of at most `width` columns (0 = as wide as it gets).
std::string
snapshotText(const StoreSnapshot& snapshot, const StoreSnapshot* before, std::size_t width);
nlohmann::json jsonOf(const StoreSnapshot& snapshot, const StoreSnapshot* before);

}  // namespace restante::cli
