#pragma once

#include "core/queue/topic.h"
#include "core/redis/store/shard_queues.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace restante::redis {

/// The arguments of limit.lua after the generation. *Value.*
struct LimitArguments {
    std::string interval;     ///< us between two jobs of one shard
    std::string concurrency;  ///< this and the following ones for all shards together
    std::string jobs;         ///< of the rate: so many
    std::string per;          ///< in so many ms
};

/// *Pure function.*
LimitArguments limitArguments(const TopicLimits& limits, std::uint32_t shards);

/// Moves the slots of concurrency limits between shards. *One loop.*
///
/// A topic that may have n jobs leased at a time has n slots. Each lies on one shard, which alone
/// decides about it, so a claim stays one script on one shard; when the jobs are on other shards
/// than the slots, slots are moved. A move is two scripts, give_slots and then take_slots: there
/// are never more slots than the limit allows, also when the moving process dies in between. Each
/// shard counts the slots that it has given to and taken from every other; the counts only grow, so
/// the next reader finds the slots that were given but not taken, and completes the move (decision
/// record 0021).
///
/// Borrows the shards, which outlive its last answer.
class SlotExchange {
public:
    /// True: claim again, the shard may have got a slot.
    using Answer = std::function<void(bool)>;

    static std::shared_ptr<SlotExchange> make(const ShardQueues& shards);
    virtual ~SlotExchange() = default;

    /// Moves up to `wanted` free slots of other shards to `shard`; if there are none, the shards
    /// that have slots in use record that this one waits.
    virtual void
    fetch(const std::string& topic, std::uint32_t shard, std::uint32_t wanted, Answer done) = 0;
    /// Completes what others have begun: deals the slots of a new limit, completes moves.
    virtual void settle(const std::string& topic, Answer done) = 0;
    /// settle() for every limited topic. Needed after a reconnection, because the server may have
    /// been restored to a state from before it gave slots away.
    virtual void settleAll() = 0;
};

}  // namespace restante::redis
