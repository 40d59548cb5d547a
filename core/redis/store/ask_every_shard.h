#pragma once

#include "core/base/result_gathering.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/script_queue.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace restante::redis {

/// Calls the script on every shard, and adds up the answers by `add(sum, reply)` (ResultGathering).
template <class T, class Add>
void askEveryShard(const ShardQueues& shards,
                   const Script& script,
                   const std::vector<std::string>& arguments,
                   Done<T> done,
                   Add add)
{
    auto gathering = std::make_shared<ResultGathering<T>>(std::move(done), shards.size());
    for (const auto& shard : shards) {
        shard->add(script, {}, arguments,
                   [gathering, add](const Result<Reply>& reply) { gathering->take(reply, add); });
    }
}

}  // namespace restante::redis
