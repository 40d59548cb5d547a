#pragma once

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

/// Schema version and number of shards of the whole store.
std::string metaKey(std::string_view prefix);

}  // namespace restante::redis
