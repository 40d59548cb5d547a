#pragma once

#include "core/job/job_state.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace restante::redis {

/// The catalogue of keys, as far as C++ names them; the scripts build theirs from the shard's
/// prefix. docs/redis-schema.md lists all. *Pure functions.*

/// `K` of the documentation: "rst:{s0}:".
std::string shardPrefix(std::string_view prefix, std::uint32_t shard);

/// Where scripts publish that a set has a nearer head.
std::string wakeChannel(std::string_view shardPrefix);

/// Where the recorder of a shard publishes how far the journal is.
std::string committedChannel(std::string_view shardPrefix);

/// The set, behind the shard's prefix, that has the ids of this state; scheduled and ready ones are
/// in lanes instead.
std::string_view setOf(JobState state) noexcept;
bool isInLanes(JobState state) noexcept;

/// Schema version and number of shards of the whole store.
std::string metaKey(std::string_view prefix);

}  // namespace restante::redis
