#pragma once

#include "core/base/text.h"
#include "core/job/job.h"
#include "core/job/job_state.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace restante::redis {

/// Keys and channels that several parts of the C++ code share; the scripts build theirs from the
/// shard's prefix. docs/redis-schema.md lists all. *Pure functions.*

/// A store within a Redis, and its number of shards. *Value.*
struct StoreAddress {
    std::string prefix = "rst";  ///< `redis.prefix`
    std::uint32_t shards = 1;    ///< `redis.shards`
};

/// `K` of the documentation: "rst:{s0}:".
inline std::string shardPrefix(std::string_view prefix, std::uint32_t shard)
{
    return std::string(prefix) + ":{s" + std::to_string(shard) + "}:";
}

/// The channel of wake-ups: a set has an earlier first entry.
inline std::string wakeChannel(std::string_view shardPrefix)
{
    return std::string(shardPrefix) + "wake";
}

/// The channel on which the recorder of a shard publishes its progress.
inline std::string committedChannel(std::string_view shardPrefix)
{
    return std::string(shardPrefix) + "committed";
}

/// The parts of a lane's name, "pull:5:order". *Value.*
struct Lane {
    Channel channel = Channel::Pull;
    int priority = 0;
    std::string_view topic;  ///< refers to the name

    static std::optional<Lane> parse(std::string_view name)
    {
        const auto colon = std::min(name.find(':'), name.size());
        const auto channel = channelNamed(name.substr(0, colon));
        const auto rest = name.substr(colon);
        if (!channel || rest.size() < 4 || rest[2] != ':' || !isDigit(rest[1])) {
            return std::nullopt;
        }
        return Lane{*channel, rest[1] - '0', rest.substr(3)};
    }
};

inline bool isInLanes(JobState state) noexcept
{
    return state == JobState::Scheduled || state == JobState::Ready;
}

/// The key, after the shard's prefix, of the set of this state; scheduled and ready jobs are in
/// lanes instead.
inline std::string_view setOf(JobState state) noexcept
{
    assert(!isInLanes(state));
    switch (state) {
    case JobState::Leased: return "lease";
    case JobState::Trashed: return "trash";
    default: return name(state);
    }
}

/// Schema version and number of shards of the whole store.
inline std::string metaKey(std::string_view prefix)
{
    return std::string(prefix) + ":meta";
}

}  // namespace restante::redis
