#pragma once

#include "core/queue/topic.h"
#include "core/redis/store/shard_queues.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace restante::redis {

/// What limit.lua takes behind the generation of the slots. *Value.*
struct LimitArguments {
    std::string interval;     ///< between two jobs of one shard
    std::string concurrency;  ///< this and the rest as asked for, of all shards together
    std::string jobs;
    std::string per;
};

/// *Pure function.*
LimitArguments limitArguments(const TopicLimits& limits, std::uint32_t shards);

/// Moves the slots of concurrency limits between shards. *One loop.*
///
/// A topic that may have n jobs leased at a time has n slots. Each lies on one shard, which alone
/// decides about it, so a claim stays one script on one shard; when the jobs are on other shards
/// than the slots, slots move. A move is two scripts (give_slots, take_slots), the giving one
/// first: there are never more slots than the limit allows, also when whoever moves them dies in
/// between. Each shard counts the slots that it has given to and taken from every other; the counts
/// only grow, so whoever looks next finds the slots that were given but not taken, and completes
/// the move (decision record 0011).
///
/// Borrows the shards, which outlive its last answer.
class SlotExchange {
public:
    /// True: look again, the shard may have got a slot.
    using Answer = std::function<void(bool)>;

    static std::shared_ptr<SlotExchange> make(const ShardQueues& shards);
    virtual ~SlotExchange() = default;

    /// Brings up to `wanted` free slots of other shards to `shard`; without any, the shards that
    /// have some in use note that this one waits.
    virtual void
    fetch(const std::string& topic, std::uint32_t shard, std::uint32_t wanted, Answer done) = 0;
    /// Ends what others have begun: hands out the slots of a new limit, brings slots on their way.
    virtual void settle(const std::string& topic, Answer done) = 0;
    /// The same for every limited topic: after a connection was lost, because the server behind it
    /// may have been restored to what a shard was before it gave slots away.
    virtual void settleAll() = 0;
};

}  // namespace restante::redis
