#pragma once

#include "core/redis/client/redis_url.h"
#include "tests/support/redis_server.h"
#include "tests/support/temp_dir.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace restante::test {

/// A Redis Cluster of three masters on 127.0.0.1, or four, each with as many replicas as asked for.
/// The shards s0, s1 and s2, of four also s3, are at different masters. Throws when it does not
/// come up. *One thread.*
class RedisCluster {
public:
    static constexpr std::size_t kMasters = 3;
    struct Settings {
        std::size_t masters = kMasters;
        std::size_t replicas = 0;  ///< of each master
        RedisServer::AppendOnly appendOnly = RedisServer::AppendOnly::No;
        std::vector<std::string> extra;  ///< for each node
        std::string password;
        /// The TLS port of each node, instead of a plain one; empty = plain.
        std::vector<std::uint16_t> tlsPorts;
    };

    RedisCluster() : RedisCluster(Settings{}) {}
    explicit RedisCluster(Settings settings);

    /// With the addresses of two nodes.
    redis::RedisUrl url() const;
    /// The initial masters come first: 0 has s2, 1 has s0, 2 has s1.
    RedisServer& node(std::size_t index) { return *nodes_[index]; }
    std::size_t size() const noexcept { return nodes_.size(); }
    std::uint16_t port(std::size_t index) const { return ports_[index]; }
    std::string idOf(std::size_t index) const;
    /// Whether the node considers itself the owner of the slot.
    bool has(std::size_t index, std::uint16_t slot) const;
    /// Waits until every node reports that all slots are served; false after a time-out.
    bool awaitOk() const;
    /// Sends the command to every running node.
    void sendToAll(const std::vector<std::string>& command) const;

private:
    void form();
    bool isOk(std::size_t index) const;

    Settings settings_;
    std::vector<std::uint16_t> ports_;
    std::vector<std::unique_ptr<RedisServer>> nodes_;
    std::vector<std::uint16_t> busPorts_;
};

/// The cluster that all tests of a binary share, emptied (data, scripts) by each call.
RedisCluster& sharedCluster();

}  // namespace restante::test
