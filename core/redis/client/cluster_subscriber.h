#pragma once

#include "core/base/event_loop.h"
#include "core/redis/client/cluster_nodes.h"
#include "core/redis/client/connection.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante::redis {

/// Subscribes at one master of a cluster, as what is published anywhere reaches all of them; and at
/// the next one when that one is lost for a second. *One loop.*
class ClusterSubscriber {
public:
    struct Subscription {
        std::vector<std::string> channels;
        Connection::MessageHandler handler;
        /// As Connection::onReady(); it may destroy this.
        std::function<void(bool ready)> ready;
    };

    ClusterSubscriber(EventLoop& loop, ClusterNodes& nodes, Subscription subscription);
    ClusterSubscriber(const ClusterSubscriber&) = delete;
    ClusterSubscriber& operator=(const ClusterSubscriber&) = delete;

    /// Begins once the nodes are known; nothing when it has.
    void begin();
    std::string lastFailure() const { return connection_ ? connection_->lastFailure() : ""; }

private:
    void awaitReady();

    EventLoop& loop_;
    ClusterNodes& nodes_;
    const Subscription subscription_;
    std::size_t tried_ = 0;
    Timer timeout_;
    std::unique_ptr<Connection> connection_;
};

}  // namespace restante::redis
