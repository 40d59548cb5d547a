#include "core/redis/client/error_reply.h"

#include <algorithm>
#include <array>
#include <string>

namespace restante::redis {

namespace {

struct Kind {
    std::string_view word;
    ErrorCode code;
    std::string_view advice;
};

constexpr std::string_view kIsCluster =
    "this is a node of a Redis Cluster: say redis+cluster:// in redis.url";

constexpr Kind kForbidden{"NOPERM", ErrorCode::Denied,
                          "give the Redis user the commands and keys it needs"};

constexpr std::array kKinds{
    Kind{"OOM", ErrorCode::Full, "raise maxmemory or purge jobs"},
    Kind{"READONLY", ErrorCode::ReadOnly, "point redis.url at the master"},
    Kind{"MISCONF", ErrorCode::ReadOnly, "Redis cannot write its disk: see its log"},
    Kind{"LOADING", ErrorCode::Loading, ""},
    Kind{"BUSY", ErrorCode::Busy, "a script blocks Redis: SCRIPT KILL ends it"},
    Kind{"NOREPLICAS", ErrorCode::Busy, "see min-replicas-to-write and the replicas' health"},
    Kind{"NOAUTH", ErrorCode::Denied, "put the password into redis.url"},
    Kind{"WRONGPASS", ErrorCode::Denied, "check user and password in redis.url"},
    kForbidden,
    Kind{"MASTERDOWN", ErrorCode::Unavailable, ""},
    Kind{"CLUSTERDOWN", ErrorCode::Unavailable, kIsCluster},
    Kind{"MOVED", ErrorCode::Unavailable, kIsCluster},
    Kind{"ASK", ErrorCode::Unavailable, kIsCluster},
    Kind{"CROSSSLOT", ErrorCode::Unavailable, kIsCluster},
    Kind{"TRYAGAIN", ErrorCode::Unavailable, ""},
    Kind{"NOTSERVING", ErrorCode::Unavailable, "it is being compared; try again later"},
};

/// A script that may not do what it does is refused without the word NOPERM: by Redis 7.0 in the
/// first way, by later ones and Valkey in the second.
bool isForbiddenToTheScript(std::string_view reply)
{
    return reply.starts_with("ERR The user executing the script can't ") ||
           reply.starts_with("ERR ACL failure in script: ");
}

std::string_view withoutArguments(std::string_view reply)
{
    // "ERR unknown command 'x', with args beginning with: 'the caller's body'".
    return reply.substr(0, reply.find(", with args"));
}

}  // namespace

Error errorOfReply(std::string_view reply)
{
    const auto word =
        isForbiddenToTheScript(reply) ? kForbidden.word : reply.substr(0, reply.find(' '));
    const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                   [&](const Kind& known) { return known.word == word; });
    std::string message(withoutArguments(reply));
    if (kind == kKinds.end()) {
        return {ErrorCode::Internal, std::move(message)};
    }
    if (!kind->advice.empty()) {
        message.append(" (").append(kind->advice).append(")");
    }
    return {kind->code, std::move(message)};
}

}  // namespace restante::redis
