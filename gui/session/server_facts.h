#pragma once

#include "core/redis/client/reply.h"
#include "core/redis/server/server_check.h"
#include "gui/session/link_problem.h"

#include <string>
#include <string_view>

namespace restante::gui {

/// What INFO tells of a server. *Value.*
struct ServerFacts {
    redis::ServerName name = {};
    std::string version = {};  ///< of the Redis that it is compatible with
    std::string role = {};     ///< "master", "slave"
    std::string master = {};   ///< of a replica: "host:port"
    std::string policy = {};   ///< maxmemory-policy
    bool isCluster = false;    ///< a node of one
};

/// *Pure functions*: what the answers of a server mean.

ServerFacts serverFactsOf(std::string_view info);
/// TooOld and Cluster end it, Evicts is a warning, Replica means that nothing can be written.
LinkProblem judgeServer(const ServerFacts& facts);

/// What `<prefix>:meta` says.
struct StoreFacts {
    std::uint32_t shards = 1;
    LinkProblem problem = {};  ///< ForeignData ends it; the others mean that nothing can be written
};
StoreFacts storeFactsOf(const redis::Reply& schemaAndShards, const std::string& prefix);

/// What a refused command of a step means. `user` is who was logged in.
LinkProblem refusalOf(LinkStep step, std::string_view message, const std::string& user);
/// What a failed dial means. `where` is the address for people.
LinkProblem dialProblemOf(std::string_view message, const std::string& where, bool unixSocket);

}  // namespace restante::gui
