#include "tests/support/redis_cluster.h"

#include "tests/support/eventually.h"
#include "tests/support/free_port.h"

#include <array>
#include <stdexcept>

namespace restante::test {

namespace {

struct Range {
    const char* first;
    const char* last;
};
constexpr std::array<Range, RedisCluster::kMasters> kThreeRanges{
    {{"0", "5460"}, {"5461", "12000"}, {"12001", "16383"}}};
constexpr std::array<Range, 4> kFourRanges{
    {{"0", "4095"}, {"4096", "8191"}, {"8192", "12287"}, {"12288", "16383"}}};

/// Nodes speak to each other about every 100 ms.
constexpr Millis kFormingTimeout{60'000};

std::string textOf(const RedisServer& server, const std::vector<std::string>& command)
{
    const auto reply = server.send(command);
    return reply.text() == nullptr ? "" : *reply.text();
}

}  // namespace

RedisCluster::RedisCluster(Settings settings) : settings_(std::move(settings))
{
    const auto count = settings_.masters * (1 + settings_.replicas);
    for (std::size_t i = 0; i < count; ++i) {
        const bool tls = !settings_.tlsPorts.empty();
        busPorts_.push_back(freePort());
        RedisServer::Settings node;
        node.appendOnly = settings_.appendOnly;
        node.tcp = !tls;
        node.password = settings_.password;
        node.extra = {"--cluster-enabled",
                      "yes",
                      "--cluster-port",
                      std::to_string(busPorts_.back()),
                      "--cluster-node-timeout",
                      "2000",
                      "--cluster-announce-ip",
                      "127.0.0.1",
                      "--cluster-replica-validity-factor",
                      "0",
                      "--repl-diskless-sync-delay",
                      "0"};
        if (!settings_.password.empty()) {
            node.extra.insert(node.extra.end(), {"--requirepass", settings_.password,
                                                 "--masterauth", settings_.password});
        }
        if (tls) {
            node.extra.insert(node.extra.end(),
                              {"--tls-port", std::to_string(settings_.tlsPorts[i])});
        }
        node.extra.insert(node.extra.end(), settings_.extra.begin(), settings_.extra.end());
        nodes_.push_back(std::make_unique<RedisServer>(node));
        ports_.push_back(tls ? settings_.tlsPorts[i] : nodes_.back()->tcpUrl().port);
    }
    form();
}

void RedisCluster::form()
{
    const bool isOfFour = settings_.masters == kFourRanges.size();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        nodes_[i]->send({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
        if (i < settings_.masters) {
            const auto& range = isOfFour ? kFourRanges.at(i) : kThreeRanges.at(i);
            nodes_[i]->send({"CLUSTER", "ADDSLOTSRANGE", range.first, range.last});
        }
    }
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            nodes_[i]->send({"CLUSTER", "MEET", "127.0.0.1", std::to_string(ports_[j]),
                             std::to_string(busPorts_[j])});
        }
    }
    for (std::size_t i = settings_.masters; i < nodes_.size(); ++i) {
        const auto master = idOf(i % settings_.masters);
        const auto replicate = [&] {
            try {
                nodes_[i]->send({"CLUSTER", "REPLICATE", master});
                return true;
            } catch (const std::runtime_error&) {
                return false;  // it does not know the master yet
            }
        };
        if (!eventually(replicate, kFormingTimeout)) {
            throw std::runtime_error("a node of the test's cluster does not become a replica");
        }
    }
    if (!awaitOk()) {
        throw std::runtime_error("the test's Redis Cluster does not come up: " +
                                 textOf(*nodes_[0], {"CLUSTER", "NODES"}));
    }
}

bool RedisCluster::isOk(std::size_t index) const
{
    const auto& node = *nodes_[index];
    if (node.processId() < 0) {
        return true;
    }
    const auto info = textOf(node, {"CLUSTER", "INFO"});
    const auto shards = node.send({"CLUSTER", "SLOTS"});
    const auto role = textOf(node, {"INFO", "replication"});
    return info.find("cluster_state:ok") != std::string::npos &&
           info.find("cluster_slots_ok:16384") != std::string::npos && shards.array() != nullptr &&
           shards.array()->size() >= settings_.masters &&
           info.find("cluster_known_nodes:" + std::to_string(nodes_.size()) + "\r") !=
               std::string::npos &&
           role.find("master_link_status:down") == std::string::npos;
}

bool RedisCluster::awaitOk() const
{
    return eventually(
        [this] {
            for (std::size_t i = 0; i < nodes_.size(); ++i) {
                if (!isOk(i)) {
                    return false;
                }
            }
            return true;
        },
        kFormingTimeout);
}

redis::RedisUrl RedisCluster::url() const
{
    redis::RedisUrl url;
    url.nodes = {{"127.0.0.1", ports_[0]}, {"127.0.0.1", ports_[1]}};
    url.password = settings_.password;
    return url;
}

std::string RedisCluster::idOf(std::size_t index) const
{
    return textOf(*nodes_[index], {"CLUSTER", "MYID"});
}

bool RedisCluster::has(std::size_t index, std::uint16_t slot) const
{
    const auto ranges = nodes_[index]->send({"CLUSTER", "SLOTS"});
    for (const auto& range : *ranges.array()) {
        const auto& parts = *range.array();
        if (*parts[0].integer() <= slot && slot <= *parts[1].integer()) {
            return *(*parts[2].array())[1].integer() == ports_[index];
        }
    }
    return false;
}

void RedisCluster::sendToAll(const std::vector<std::string>& command) const
{
    for (const auto& node : nodes_) {
        if (node->processId() > 0) {
            node->send(command);
        }
    }
}

RedisCluster& sharedCluster()
{
    static RedisCluster cluster;
    cluster.sendToAll({"FLUSHALL"});
    cluster.sendToAll({"SCRIPT", "FLUSH"});
    return cluster;
}

}  // namespace restante::test
