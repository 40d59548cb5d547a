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

/// Where a command has to go. *Value.*
struct ClusterRoute {
    enum class Kind {
        Anywhere,      ///< it names no key
        Slot,          ///< to the master of `slot`
        SeveralSlots,  ///< nowhere: no master could execute it
    };
    Kind kind = Kind::Anywhere;
    std::uint16_t slot = 0;

    friend bool operator==(const ClusterRoute&, const ClusterRoute&) = default;
};

/// Judges a command by its name and its keys. Of a command that it does not know the first argument
/// is the key, as with nearly all of them. *Pure function.*
ClusterRoute clusterRouteOf(std::span<const std::string_view> command) noexcept;

/// A script: it may touch keys that its command does not name, so it can be executed only where all
/// keys of the slot are. *Pure function.*
bool runsScript(std::string_view commandName) noexcept;

/// Which master has which slot. *Value.*
class ClusterMap {
public:
    /// From the answer of CLUSTER SLOTS by the node at `asked`, which is meant where it names no
    /// host. Unavailable when it gives no slot to anybody.
    static Result<ClusterMap> parse(const Reply& answer, const NodeAddress& asked);

    /// Null when nobody has it.
    const NodeAddress* masterOf(std::uint16_t slot) const noexcept;
    /// One slot has another master now.
    void move(std::uint16_t slot, const NodeAddress& master);
    bool isMaster(const NodeAddress& node) const noexcept;
    /// One slot of each master that has any, in the order of the slots.
    std::vector<std::uint16_t> slotOfEachMaster() const;
    /// Masters and replicas, those first.
    const std::vector<NodeAddress>& nodes() const noexcept { return nodes_; }
    std::string printMasters() const;  ///< "a:6379, b:6379"

private:
    std::size_t indexOf(const NodeAddress& node);

    std::vector<NodeAddress> nodes_;
    std::vector<std::uint16_t> masters_;  ///< of each slot: its master's place in nodes_, plus one
};

/// "MOVED 3999 h:6381": who should be asked instead. *Value.*
struct Redirect {
    enum class Kind { Moved, Ask };
    Kind kind = Kind::Moved;
    std::uint16_t slot = 0;
    NodeAddress to;

    friend bool operator==(const Redirect&, const Redirect&) = default;
};

/// What the node at `from` has refused with; none when that is no redirection. An empty host is
/// `from`'s. *Pure function.*
std::optional<Redirect> redirectOf(std::string_view refusal, const NodeAddress& from);

}  // namespace restante::redis
