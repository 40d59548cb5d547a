#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/client/cluster_map.h"
#include "core/redis/client/link.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/client/wire_dialer.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace restante::redis {

/// Asks nodes of a cluster, one after the other, which master has which slot. Calls `done` once,
/// later, unless it is destroyed before: with the first answer, or with the reason of the last
/// refusal that is one (a wrong password), or with Unavailable, whose message has what each of them
/// said or did. A node has a second for its answer. *One loop.*
class ClusterSurvey {
public:
    /// `url` says how to enter a node, `nodes` (at least one) where they are.
    ClusterSurvey(EventLoop& loop,
                  const RedisUrl& url,
                  std::vector<NodeAddress> nodes,
                  Done<ClusterMap> done);
    ClusterSurvey(const ClusterSurvey&) = delete;
    ClusterSurvey& operator=(const ClusterSurvey&) = delete;

private:
    void askNext();
    void talk(Wire wire);
    void logIn();
    void take(const Result<Reply>& answer);
    void passOn(const Error& why);

    EventLoop& loop_;
    const RedisUrl url_;
    const std::vector<NodeAddress> nodes_;
    std::size_t asked_ = 0;
    std::string reasons_;  ///< why those that were asked are of no use
    ErrorCode code_ = ErrorCode::Unavailable;
    Done<ClusterMap> done_;
    Timer patience_;
    std::unique_ptr<WireDialer> dialer_;
    std::unique_ptr<Link> link_;
};

}  // namespace restante::redis
