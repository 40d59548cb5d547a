#pragma once

#include "core/redis/store/job_scan.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace restante::redis {

/// Jobs that ids or an index lead to. *Value.*
struct JobLookup {
    std::vector<std::string> ids{};     ///< by id ...
    std::vector<std::string> fronts{};  ///< ... or by what members of the index begin with
    std::function<bool(const JobView&)> matches;
    std::string cursor{};
    std::uint32_t limit = 0;    ///< jobs, 0 = only count them
    std::uint64_t budget = ~0;  ///< ids looked at
};

/// What the members of the index of this kind and value begin with: docs/redis-schema.md.
std::string indexFront(IndexQuery::Kind kind, std::string_view value);

/// Looks at the jobs one by one, some at a time: ids in their order, an index key by key, shard by
/// shard, by id. As scanJobs() otherwise.
void lookUpJobs(EventLoop& loop,
                const ShardQueues& shards,
                const Clock& clock,
                JobLookup lookup,
                Done<ScannedJobs> done);

/// How many jobs the index has, without looking at them.
void countInIndex(const ShardQueues& shards, const std::string& front, Done<std::uint64_t> done);

}  // namespace restante::redis
