#pragma once

#include "core/base/clock.h"

#include <array>
#include <compare>
#include <cstddef>
#include <optional>
#include <unordered_map>

namespace restante::sip {

/// The far end of a connection, as a key. *Value.*
struct PeerAddress {
    std::array<std::uint8_t, 16> host{};  ///< IPv4 as ::ffff:a.b.c.d
    std::uint16_t port = 0;

    /// 127.0.0.1 and ::1: a proxy on this machine, with everybody behind it.
    bool isOwnMachine() const noexcept;
    /// Of IPv6 the network of 64 bits, which is what one customer is given.
    std::array<std::uint8_t, 16> owner() const noexcept;
    auto operator<=>(const PeerAddress&) const = default;
};

/// Decides which connection made to us is one too many. *Value*, one loop.
class ConnectionLedger {
public:
    struct Limits {
        std::uint32_t inAll = 20'000;
        std::uint32_t perAddress = 100;  ///< those of this machine count only in all
        Millis messageTime{30'000};
    };
    enum class Refusal { TooManyInAll, TooManyOfItsAddress };

    explicit ConnectionLedger(Limits limits) : limits_(limits) {}

    /// Counts it when there is no refusal.
    std::optional<Refusal> admit(const PeerAddress& peer);
    /// One that was admitted has ended.
    void left(const PeerAddress& peer);

    std::size_t size() const noexcept { return count_; }

private:
    using Owner = std::array<std::uint8_t, 16>;
    struct OwnerHash {
        std::size_t operator()(const Owner& owner) const noexcept;
    };

    Limits limits_;
    std::size_t count_ = 0;
    std::unordered_map<Owner, std::uint32_t, OwnerHash> owners_;
};

}  // namespace restante::sip
