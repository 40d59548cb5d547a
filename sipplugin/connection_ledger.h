#pragma once

#include "core/base/clock.h"

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace restante::sip {

/// The far end of a connection, as a key. *Value.*
struct PeerAddress {
    std::array<std::uint8_t, 16> host{};  ///< IPv4 as ::ffff:a.b.c.d
    std::uint16_t port = 0;

    /// 127.0.0.1 and ::1: a proxy on this machine, with everybody behind it.
    bool isOwnMachine() const noexcept;
    /// Whom the connection counts for: of IPv6 the network of 64 bits, which is what one customer
    /// is given, so that they cannot take each connection from another address.
    std::array<std::uint8_t, 16> owner() const noexcept;
    auto operator<=>(const PeerAddress&) const = default;
};

/// Decides which connections that were made to us are one too many, and which keep a message from
/// ever ending. Knows nothing of sockets: it is told what is there. *Value*, one loop.
class ConnectionLedger {
public:
    using Instant = std::chrono::steady_clock::time_point;
    struct Limits {
        std::uint32_t inAll = 20'000;
        std::uint32_t perAddress = 100;  ///< those of this machine count only in all
        Millis messageTime{30'000};
    };
    struct Sighting {
        int fd = -1;
        PeerAddress peer;
        std::uint64_t bytes = 0;  ///< received since it was opened
    };
    enum class Reason { TooManyInAll, TooManyOfItsAddress, TooSlow };
    struct Verdict {
        int fd = -1;
        PeerAddress peer;
        Reason reason = Reason::TooSlow;
    };

    explicit ConnectionLedger(Limits limits) : limits_(limits) {}

    /// A whole message has come from there.
    void completed(const PeerAddress& peer, Instant now);

    /// `seen` is every connection there is. Those that were here before stay; of the new ones too
    /// many are to be cut.
    std::vector<Verdict> admit(const std::vector<Sighting>& seen);

    /// Call it at intervals of kWindow, after admit() of the same: a connection on which something
    /// came in every window for longer than messageTime, and no message ended, is to be cut. One
    /// that is silent between keep-alives is not.
    std::vector<Verdict> judge(const std::vector<Sighting>& seen, Instant now);

    /// sofia ends what stands still in the middle of a message for as long.
    static constexpr Millis kWindow{5'000};

    std::size_t size() const noexcept { return known_.size(); }

private:
    struct Hash {
        std::size_t operator()(const PeerAddress& peer) const noexcept;
    };
    struct HostHash {
        std::size_t operator()(const std::array<std::uint8_t, 16>& host) const noexcept;
    };
    struct Connection {
        std::uint64_t round = 0;  ///< of admit(), when it was seen last
        std::uint64_t bytes = 0;
        Instant judged{};
        std::optional<Instant> flowingSince;
        Instant completed{};
    };
    using Hosts = std::unordered_map<std::array<std::uint8_t, 16>, std::uint32_t, HostHash>;

    std::optional<Reason> refusalOf(const PeerAddress& peer, const Hosts& hosts) const;
    std::uint32_t countOf(const PeerAddress& peer, const Hosts& hosts) const;

    Limits limits_;
    std::uint64_t round_ = 0;
    std::unordered_map<PeerAddress, Connection, Hash> known_;
};

}  // namespace restante::sip
