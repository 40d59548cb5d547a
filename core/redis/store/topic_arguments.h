#pragma once

#include "core/queue/topic.h"

#include <cstdint>
#include <string>

namespace restante::redis {

/// What limit.lua takes behind the generation of the slots. *Value.*
struct LimitArguments {
    std::string interval;  ///< between two jobs of one shard
    std::string whole;     ///< what was asked for all shards together
};

/// *Pure function.*
LimitArguments limitArguments(const TopicLimits& limits, std::uint32_t shards);

}  // namespace restante::redis
