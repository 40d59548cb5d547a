#include "core/redis/store/keys.h"

#include <cassert>
#include <fmt/format.h>

namespace restante::redis {

std::string shardPrefix(std::string_view prefix, std::uint32_t shard)
{
    return fmt::format("{}:{{s{}}}:", prefix, shard);
}

std::string wakeChannel(std::string_view shardPrefix)
{
    return fmt::format("{}wake", shardPrefix);
}

std::string committedChannel(std::string_view shardPrefix)
{
    return fmt::format("{}committed", shardPrefix);
}

bool isInLanes(JobState state) noexcept
{
    return state == JobState::Scheduled || state == JobState::Ready;
}

std::string_view setOf(JobState state) noexcept
{
    assert(!isInLanes(state));
    switch (state) {
    case JobState::Leased: return "lease";
    case JobState::Trashed: return "trash";
    default: return name(state);
    }
}

std::string metaKey(std::string_view prefix)
{
    return fmt::format("{}:meta", prefix);
}

}  // namespace restante::redis
