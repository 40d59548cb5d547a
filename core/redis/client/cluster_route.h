#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace restante::redis {

constexpr std::uint16_t kClusterSlots = 16'384;

/// Which slot of a Redis Cluster a key is in: CRC16 (XMODEM) of its hash tag, or of all of it when
/// it has none. *Pure function.*
std::uint16_t slotOf(std::string_view key) noexcept;

/// The slot of a store's first shard, which every store has, whatever its prefix.
std::uint16_t homeSlot() noexcept;

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

}  // namespace restante::redis
