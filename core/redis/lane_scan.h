#pragma once

#include "core/base/result.h"
#include "core/redis/script_queue.h"

#include <memory>
#include <string>
#include <vector>

namespace restante::redis {

/// The shards of a store, in order.
using ShardQueues = std::vector<std::unique_ptr<ScriptQueue>>;
/// Names of lanes, "pull:5:order", sorted.
using Lanes = std::vector<std::string>;

/// Lists every lane of each shard, in bounded steps. The queues must live until the answer, which
/// their destruction gives, too.
void scanLanes(const ShardQueues& shards, Done<std::vector<Lanes>> done);

}  // namespace restante::redis
