#pragma once

#include "core/base/event_loop.h"
#include "core/redis/client/cluster_map.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/node_inquiry.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace restante::redis {

/// The nodes of a cluster as one connection sees them: which master has which slot, and a
/// Connection to each master that has been needed. The map is asked for at the beginning, in the
/// background when a node says that a slot has moved (once for all that say so meanwhile), and for
/// as long as a master that is needed cannot be reached. *One loop.*
class ClusterNodes {
public:
    /// `changed` is told of a new map, and of each node that has become ready or is lost; it may
    /// destroy this.
    ClusterNodes(EventLoop& loop, Connection::Settings settings, std::function<void()> changed);

    /// None until a node has told it.
    const std::optional<ClusterMap>& map() const noexcept { return map_; }
    /// Why there is no map; empty until the first attempt has failed, and when there is one.
    const Error& failure() const noexcept { return failure_; }

    /// The connection to this node, dialled when it is needed for the first time.
    Connection& at(const NodeAddress& node);
    /// To the master of this slot; null when it has none.
    Connection* masterOf(std::uint16_t slot);
    bool isReady(const NodeAddress& node) const;

    void moved(std::uint16_t slot, const NodeAddress& to);
    void refresh();
    /// How a node is entered.
    Connection::Settings settingsOf(const NodeAddress& node) const;

private:
    using Steady = std::chrono::steady_clock;
    void survey();
    void surveyed(Result<ClusterMap> map);
    std::vector<NodeAddress> whomToAsk() const;
    /// Surveys again unless every master that is needed is ready by then.
    void lookAgain(Millis after);
    bool lacksMaster() const;
    void sweep();

    EventLoop& loop_;
    const Connection::Settings settings_;
    std::function<void()> changed_;
    std::optional<ClusterMap> map_;
    Error failure_;
    std::map<NodeAddress, std::unique_ptr<Connection>> connections_;
    std::optional<NodeAddress> mover_;  ///< has been named as a slot's new master: it knows best
    std::unique_ptr<TopologyQuery> survey_;
    Steady::time_point surveyed_{};
    Millis backOff_;
    Timer next_;   ///< survey
    Timer sweep_;  ///< of connections to what is no master any more
    /// Expires with this: a callback may destroy it.
    std::shared_ptr<const void> life_ = std::make_shared<char>();
};

}  // namespace restante::redis
