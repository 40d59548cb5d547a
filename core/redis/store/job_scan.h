#pragma once

#include "core/base/result.h"
#include "core/queue/job_inspector.h"
#include "core/queue/job_search.h"
#include "core/redis/store/shard_queues.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace restante::redis {

/// Names of lanes, "pull:5:order", sorted.
using Lanes = std::vector<std::string>;

/// Lists every lane of each shard, in bounded steps.
void scanLanes(const ShardQueues& shards, Done<std::vector<Lanes>> done);

/// Which lanes are wanted; none = any. *Value.*
struct LaneChoice {
    std::optional<std::vector<Channel>> channels{};
    std::optional<std::vector<std::string>> topics{};
};

template <class T>
bool allows(const std::optional<std::vector<T>>& choice, const T& value)
{
    return !choice || std::ranges::find(*choice, value) != choice->end();
}

/// The lanes of each shard that the choice allows. When it names few topics, the store is not
/// asked, and some lanes may not exist. Otherwise as scanLanes().
void chooseLanes(const ShardQueues& shards, LaneChoice choice, InlineDone<std::vector<Lanes>> done);

/// Filter and limits of a walk through jobs. *Value.*
struct JobWalk {
    std::function<bool(const JobView&)> matches;
    std::string cursor{};
    std::uint32_t limit = 0;               ///< jobs, 0 = only count them
    std::uint64_t budget = ~0;             ///< entries looked at
    std::uint32_t bodyBytes = kWholeBody;  ///< at most, of each body in the result
};

/// A walk through the sets of states. *Value.*
struct JobScan : JobWalk {
    std::vector<JobState> states;  ///< in the order of the walk
    LaneChoice lanes{};
    JobSearch::Order order = JobSearch::Order::Ascending;
    std::uint32_t entriesPerCommand = 100;  ///< read at most
    bool readsBody = true;                  ///< `matches` looks at bodies, or at how long they are
};

/// A walk through jobs named by ids or by an index. *Value.*
struct JobLookup : JobWalk {
    std::vector<std::string> ids{};            ///< by id ...
    std::vector<std::string> indexPrefixes{};  ///< ... or by what members of the index begin with
};

struct ScannedJobs {
    std::vector<JobView> jobs;
    /// Matching jobs, of each state that was walked.
    std::map<JobState, std::uint64_t> counts;
    std::string cursor;  ///< empty at the end
    std::uint64_t examined = 0;
    CutBodies cut{};
};

/// The last entry of a page, behind which the next one goes on. *Value.*
struct PageCursor {
    JobState state = JobState::Scheduled;
    std::string score;  ///< as Redis printed it; empty, and `id`, too: from the beginning
    std::string id;

    /// "ready 1700000000000.25 order-17": opaque to callers.
    std::string toString() const;
    /// Refuses as Invalid what toString() does not make.
    static Result<PageCursor> parse(std::string_view text);
};

/// Walks through the sets of the states in bounded commands, between which others are served, until
/// `limit` jobs have matched, the budget is used up or the end is reached. Invalid: a wrong cursor.
void scanJobs(const ShardAccess& store, JobScan scan, Done<ScannedJobs> done);

/// Looks up jobs one by one, some at a time: an index prefix by prefix, shard by shard, by id; then
/// the ids, sorted. Otherwise as scanJobs().
void lookUpJobs(const ShardAccess& store, JobLookup lookup, Done<ScannedJobs> done);

/// JobInspector::ranked() in Redis: measures the sets of the states (span), narrows down where the
/// page begins in each of them (RankSplit, ranks), merges what follows (RankMerge), and reads the
/// jobs at those ranks (ranked). With N jobs in K sets that is a handful of rounds of K look-ups
/// each, O(K log N) in commands of a millisecond, between which others are served.
void pageByRank(const ShardAccess& store, RankQuery query, Done<RankPage> done);

/// The prefix of the members of the index for this kind and value: docs/redis-schema.md.
std::string indexPrefix(IndexQuery::Kind kind, std::string_view value);

/// How many jobs the index has with this prefix, without reading them.
void countInIndex(const ShardQueues& shards, const std::string& prefix, Done<std::uint64_t> done);

}  // namespace restante::redis
