#pragma once

#include "core/base/result.h"
#include "core/redis/store/keys.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace restante::redis {

class Connection;

/// Major version; older ones do not know the flags of our scripts.
constexpr int kOldestRedisMajor = 7;
/// The layout of the keys (docs/redis-schema.md), which `<prefix>:meta` names.
constexpr int kSchema = 1;

/// The only maxmemory-policy with which no job is thrown away.
inline constexpr std::string_view kNoEviction = "noeviction";

/// Product and version of a server, from INFO. *Value.*
struct ServerName {
    std::string product = {};  ///< "Redis", "Valkey"
    std::string version = {};  ///< its own: "7.0.15", "8.1.1"
};
/// Valkey's `redis_version` is the version that it is compatible with; its own is `valkey_version`,
/// which Redis does not have.
ServerName serverNameOf(std::string_view redisVersion, std::string_view valkeyVersion);

/// Fields of INFO that decide whether the server is fit. *Value.*
struct ServerFacts : ServerName {
    std::string redisVersion = {};    ///< the version of Redis that it is compatible with
    std::string role = {};            ///< "master", "slave"
    std::string master = {};          ///< of a replica: "host:port"
    std::string evictionPolicy = {};  ///< maxmemory-policy
    bool isCluster = false;           ///< a node of one
    bool hasAppendOnlyFile = true;

    bool isTooOld() const;
};
/// `info` is what INFO answers; what a server hides is empty. checkServer() refuses a version or a
/// policy that is not known. *Pure.*
ServerFacts serverFactsOf(std::string_view info);

/// The warning about a Redis without one.
inline constexpr std::string_view kNoAppendOnlyFile =
    "redis has no append-only file: what was acknowledged since its last snapshot is lost when it "
    "ends; set \"appendonly yes\"";

struct ServerReport : ServerName {
    std::uint64_t memory = 0;  ///< bytes that all masters may hold: `maxmemory`, or half of what
                               ///< their machine has; 0 = no server tells it
    std::vector<std::string> warnings;  ///< one line each: what is risky and what to do about it
};

/// Checks, before anything is stored, that this Redis is fit to keep jobs and has the expected
/// store. Refuses as Invalid, saying what to change, a Redis older than 7 (the scripts need its
/// flags), a node of a cluster that redis.url does not name as one, a maxmemory-policy that evicts,
/// a schema that this program does not know, and a number of shards other than the one of the first
/// start (both are written then, to `<prefix>:meta`). Warns about a missing append-only file. Asks
/// the server to keep small records compact, and to free expired keys in the background, if it may.
///
/// `connection` is ready and lives until the answer.
void checkServer(Connection& connection, StoreAddress expected, Done<ServerReport> done);

/// The same check for readers: nothing is written or configured. An unused store is fit.
void inspectServer(Connection& connection, StoreAddress expected, Done<ServerReport> done);

/// Reads the number of shards of the store; 0 = it is unused. Refuses as Invalid a
/// schema that this program does not know.
void readShardCount(Connection& connection, const std::string& prefix, Done<std::uint32_t> done);

}  // namespace restante::redis
