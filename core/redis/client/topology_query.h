#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/client/cluster_map.h"
#include "core/redis/client/command_pipeline.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/client/stream_dialer.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace restante::redis {

/// Asks nodes of a cluster, one after the other, which master has which slot. Calls `done` once,
/// later, unless it is destroyed before: with the first answer, or with the reason of the last
/// refusal that is one (a wrong password), or with Unavailable, whose message has what each of them
/// said or did. A node has a second for its answer. *One loop.*
class TopologyQuery {
public:
    /// `url` says how to enter a node, `nodes` (at least one) where they are.
    TopologyQuery(EventLoop& loop,
                  const RedisUrl& url,
                  std::vector<NodeAddress> nodes,
                  Done<ClusterMap> done);
    TopologyQuery(const TopologyQuery&) = delete;
    TopologyQuery& operator=(const TopologyQuery&) = delete;

private:
    void askNext();
    void talk(ByteStream stream);
    void logIn();
    void handle(const Result<Reply>& answer);
    void passOn(const Error& why);

    EventLoop& loop_;
    const RedisUrl url_;
    const std::vector<NodeAddress> nodes_;
    std::size_t asked_ = 0;
    std::string reasons_;  ///< why those that were asked are of no use
    ErrorCode code_ = ErrorCode::Unavailable;
    Done<ClusterMap> done_;
    Timer timeout_;
    std::unique_ptr<StreamDialer> dialer_;
    std::unique_ptr<CommandPipeline> pipeline_;
};

}  // namespace restante::redis
