#pragma once

#include "core/base/result.h"
#include "core/job/job.h"
#include "core/redis/store/script_queue.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace restante::redis {

/// Names of lanes, "pull:5:order", sorted.
using Lanes = std::vector<std::string>;

/// Lists every lane of each shard, in bounded steps. The queues must live until the answer, which
/// their destruction gives, too.
void scanLanes(const ShardQueues& shards, Done<std::vector<Lanes>> done);

/// Which lanes are wanted; none = any. *Value.*
struct LaneChoice {
    std::optional<std::vector<Channel>> channels{};
    std::optional<std::vector<std::string>> topics{};
};

template <class T>
bool allows(const std::optional<std::vector<T>>& narrowed, const T& value)
{
    return !narrowed || std::ranges::find(*narrowed, value) != narrowed->end();
}

/// The lanes of each shard that the choice allows, without a question to the store when a few
/// topics are named; some of them may not exist then. Otherwise as scanLanes(), but `done` may be
/// called from inside the call.
void chooseLanes(const ShardQueues& shards, LaneChoice choice, Done<std::vector<Lanes>> done);

}  // namespace restante::redis
