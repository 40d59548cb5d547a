#pragma once

#include "core/base/result_gathering.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/script_queue.h"

#include <cstddef>
#include <memory>
#include <optional>
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

/// What the shards that answer have together. *Value.*
template <class T>
struct PartialSum {
    T sum = {};
    std::optional<Error> error = {};  ///< the first of the shards that gave none
};

/// As askEveryShard(), but one that cannot be reached does not hold up what the others know: the
/// answer is an error only when none gives one.
template <class T, class Add>
void askShardsThatAnswer(const ShardQueues& shards,
                         const Script& script,
                         const std::vector<std::string>& arguments,
                         Done<PartialSum<T>> done,
                         Add add)
{
    struct Gathering {
        Done<PartialSum<T>> done;
        std::size_t awaited = 0;
        std::size_t answered = 0;
        PartialSum<T> partial = {};
    };
    auto gathering = std::make_shared<Gathering>();
    gathering->done = std::move(done);
    gathering->awaited = shards.size();
    for (const auto& shard : shards) {
        shard->add(script, {}, arguments, [gathering, add](const Result<Reply>& reply) {
            auto& partial = gathering->partial;
            if (reply) {
                add(partial.sum, *reply);
                ++gathering->answered;
            } else if (!partial.error) {
                partial.error = reply.error();
            }
            if (--gathering->awaited > 0) {
                return;
            }
            gathering->done(gathering->answered > 0
                                ? Result<PartialSum<T>>(std::move(partial))
                                : Result<PartialSum<T>>(tl::unexpected(*partial.error)));
        });
    }
}

}  // namespace restante::redis
