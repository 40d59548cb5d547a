#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/client/cluster_map.h"
#include "core/redis/client/command_pipeline.h"
#include "core/redis/client/dialer.h"
#include "core/redis/client/redis_url.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante::redis {

/// Connects to nodes one after the other and lets `ask` send them a question, until one has given
/// a usable answer. One second for each node. *One loop.*
class NodeInquiry {
public:
    struct Handlers {
        /// Called with a connected node, to ask it. An answer that is of no use leads to
        /// tryNextNode(); after a usable one the owner destroys this.
        std::function<void(CommandPipeline&)> ask;
        /// Called when no node is left. The message has the failure of each; the code is Denied,
        /// with the node's remoteCode, when one has denied access. May destroy this.
        std::function<void(Error)> noneLeft;
    };

    /// `url` has TLS and credentials, `nodes` (at least one) the addresses.
    NodeInquiry(EventLoop& loop,
                const RedisUrl& url,
                std::vector<NodeAddress> nodes,
                Handlers handlers)
        : loop_(loop),
          url_(url),
          nodes_(std::move(nodes)),
          handlers_(std::move(handlers)),
          timeout_(loop)
    {
        askNext();
    }

    /// The node that is asked now, and its index.
    std::size_t index() const noexcept { return current_; }
    const NodeAddress& node() const { return nodes_[current_]; }
    /// This node gave no usable answer: asks the next one, or calls noneLeft.
    void tryNextNode(const Error& why);

private:
    void askNext();
    void startPipeline(ByteStream stream);

    EventLoop& loop_;
    RedisUrl url_;  ///< of the node that is asked
    const std::vector<NodeAddress> nodes_;
    Handlers handlers_;
    std::size_t current_ = 0;
    /// The failures of the nodes so far.
    Error failures_{ErrorCode::Unavailable, {}};
    Timer timeout_;
    std::unique_ptr<StreamDialer> dialer_;
    std::unique_ptr<CommandPipeline> pipeline_;
};

/// Asks the sentinels of a URL, one after the other, where their master is. Calls `done` once,
/// later, unless it is destroyed before: with the first answer, or with Unavailable, whose message
/// has what each of them said or did. One that wants a password gets that of the URL's sentinels,
/// or if there is none, that of its Redis. *One loop.*
class SentinelResolver {
public:
    /// Where the master is.
    struct Master {
        std::string host;
        std::uint16_t port = 0;
        std::size_t sentinel = 0;  ///< index of the sentinel that knew it
    };

    /// Begins with the sentinel `first`.
    SentinelResolver(EventLoop& loop, const RedisUrl& url, std::size_t first, Done<Master> done);

private:
    enum class LogIn { NotYet, Tried };

    void logIn(CommandPipeline& sentinel, const std::string& user, const std::string& password);
    void askForMaster(CommandPipeline& sentinel, LogIn logIn);
    void handle(const Reply& answer);

    const RedisUrl url_;
    const std::size_t first_;
    Done<Master> done_;
    NodeInquiry inquiry_;
};

/// "no sentinel of a:26379, b:26379 knows master "x" (a:26379: Connection refused; ...)".
std::string formatNoMaster(const RedisUrl& url, const std::string& reasons);

/// Asks nodes of a cluster, one after the other, which master has which slot. Calls `done` once,
/// later, unless it is destroyed before: with the first answer, or with Denied (a wrong password)
/// or Unavailable, whose message has what each of them said or did. *One loop.*
class TopologyQuery {
public:
    /// As NodeInquiry.
    TopologyQuery(EventLoop& loop,
                  const RedisUrl& url,
                  std::vector<NodeAddress> nodes,
                  Done<ClusterMap> done);

private:
    void ask(CommandPipeline& node);
    void handle(const Result<Reply>& answer);

    const RedisUrl url_;
    Done<ClusterMap> done_;
    NodeInquiry inquiry_;
};

}  // namespace restante::redis
