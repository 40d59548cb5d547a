#pragma once

#include "core/base/result.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/client/reply.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace restante::redis {

constexpr std::uint16_t kClusterSlots = 16'384;

/// Which slot of a Redis Cluster a key is in: CRC16 (XMODEM) of its hash tag, or of all of it when
/// it has none. *Pure function.*
std::uint16_t slotOf(std::string_view key) noexcept;

/// The slot of a store's first shard, which every store has, whatever its prefix.
std::uint16_t slotOfShard0() noexcept;

/// The node or nodes that can execute a command. *Value.*
struct ClusterRoute {
    enum class Kind {
        Anywhere,      ///< it names no key
        Slot,          ///< to the master of `slot`
        SeveralSlots,  ///< no single master could execute it
    };
    Kind kind = Kind::Anywhere;
    std::uint16_t slot = 0;

    friend bool operator==(const ClusterRoute&, const ClusterRoute&) = default;
};

/// The route of a command by its name and keys. Unknown commands are assumed to have their key as
/// the first argument, as nearly all commands do. *Pure function.*
ClusterRoute clusterRouteOf(std::span<const std::string_view> command) noexcept;

/// Whether the command runs a script. A script may touch keys that the command does not name, so it
/// can run only on a node that has all keys of the slot. *Pure function.*
bool runsScript(std::string_view commandName) noexcept;

/// Which master has which slot. *Value.*
class ClusterMap {
public:
    /// Reads the answer to CLUSTER SLOTS of the node at `asked`, whose host replaces missing hosts.
    /// Unavailable when no node has any slot.
    static Result<ClusterMap> parse(const Reply& answer, const NodeAddress& asked);

    /// Null when no node has it.
    const NodeAddress* masterOf(std::uint16_t slot) const noexcept;
    /// Changes the master of one slot.
    void setMaster(std::uint16_t slot, const NodeAddress& master);
    bool isMaster(const NodeAddress& node) const noexcept;
    /// One slot of each master that has any, in the order of the slots.
    std::vector<std::uint16_t> slotOfEachMaster() const;
    /// All masters, then all replicas, then the nodes that setMaster() has added.
    const std::vector<NodeAddress>& nodes() const noexcept { return nodes_; }
    std::string formatMasters() const;  ///< "a:6379, b:6379"

private:
    /// Its index in nodes_.
    std::size_t findOrAddNode(const NodeAddress& node);

    std::vector<NodeAddress> nodes_;
    std::vector<std::uint16_t> masters_;  ///< by slot: index in nodes_ plus one; 0 = none
};

/// A redirection, "MOVED 3999 h:6381": the node to ask instead. *Value.*
struct Redirect {
    enum class Kind { Moved, Ask };
    Kind kind = Kind::Moved;
    std::uint16_t slot = 0;
    NodeAddress to;  ///< an empty host: the node does not say, only the map does

    friend bool operator==(const Redirect&, const Redirect&) = default;
};

/// Parses an error of the node at `from`; none when it is no redirection. An empty host there is
/// that of `from`; "?" is a host name that is not set (cluster-preferred-endpoint-type), and
/// becomes an empty one. *Pure function.*
std::optional<Redirect> redirectOf(std::string_view refusal, const NodeAddress& from);

}  // namespace restante::redis
