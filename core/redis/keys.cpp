#include "core/redis/keys.h"

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

std::string metaKey(std::string_view prefix)
{
    return fmt::format("{}:meta", prefix);
}

}  // namespace restante::redis
