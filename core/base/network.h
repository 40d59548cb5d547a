#pragma once

#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sockaddr;

namespace restante {

/// An IPv4 or IPv6 network, or a single address, as in "10.0.0.0/8", "::1", "fd00::/8". *Value.*
class Network {
public:
    /// Refuses what is not an address or whose prefix is too long, naming the text. Bits behind the
    /// prefix are dropped, so "10.1.2.3/8" is "10.0.0.0/8".
    static Result<Network> parse(std::string_view text);
    /// 0.0.0.0/0.
    static Network allOfIpv4() noexcept;
    /// 2000::/3: every public address of IPv6 (RFC 4291, 2.4: what is assigned to anybody begins
    /// with 001).
    static Network publicIpv6() noexcept;
    std::string toString() const;

    /// `address` is numeric; "::ffff:10.0.0.1" counts as 10.0.0.1. False for anything else.
    bool contains(std::string_view address) const noexcept;
    /// Whether all of `other` is in it. IPv4 is in "::/0", and in every "::/N" up to "::/80".
    bool covers(const Network& other) const noexcept;
    /// Whether it has all of IPv4, or every public address of IPv6 (2000::/3): everybody, where it
    /// says who is believed.
    bool isEverybody() const noexcept;
    /// Those of `networks` that have all of it, together or one alone, and no more of them than it
    /// takes; empty = it has an address that is in none of them.
    std::vector<Network> coverFrom(const std::vector<Network>& networks) const;

    friend bool operator==(const Network&, const Network&) = default;

private:
    std::array<std::uint8_t, 16> bytes_{};  ///< IPv4 as ::ffff:a.b.c.d
    unsigned prefix_ = 128;                 ///< counted in those 128 bits
};

/// "127.0.0.1:5060", "[::1]:0": a numeric address to listen on; port 0 lets the system choose.
/// *Value.*
struct SocketAddress {
    std::string host;  ///< without brackets
    std::uint16_t port = 0;

    /// Refuses names: what a name stands for may change, what we listen on must not.
    static Result<SocketAddress> parse(std::string_view text);
    std::string toString() const;
    bool isLoopback() const noexcept;

    friend bool operator==(const SocketAddress&, const SocketAddress&) = default;
};

/// The bytes of a numeric address, those of IPv4 as ::ffff:a.b.c.d; none for anything else.
std::optional<std::array<std::uint8_t, 16>> addressBytes(std::string_view text) noexcept;

/// Whether a socket that is bound to this address listens at every address of the machine: 0.0.0.0
/// and ::, in any spelling (::0).
bool isAnyAddress(std::string_view address) noexcept;

/// A key for the network that one customer has, by which limits count: an IPv4 address alone, the
/// /64 of an IPv6 address. What is no numeric address is its own key.
std::string customerNetworkOf(std::string_view address);

/// Whether several sockets of this process listen at one address (SO_REUSEPORT).
enum class PortSharing {
    Alone,
    First,    ///< others follow; fails like Alone where another program has the port
    Further,  ///< of an address at which the first one listens
};

/// The address without the port, as text; none for families other than IPv4 and IPv6.
std::optional<std::string> addressText(const sockaddr& address);

/// The addresses of this machine's interfaces, as they are now.
std::vector<std::string> machineAddresses();

/// One entry of `sip.trusted`: a peer that is believed, and how it is recognised. *Value.*
///
///     192.0.2.10, 10.0.0.0/8     whoever sends from there. Over UDP a source address is a claim.
///     udp:192.0.2.10             the same, over UDP only
///     tcp:192.0.2.10             over a connection from there, TCP or TLS: the address is proved
///     tls:192.0.2.10             over TLS from there
///     tls:proxy.example.org      over TLS, with a certificate of that name that we believe
struct TrustedPeer {
    enum class Transport { Any, Udp, Tcp, Tls };
    Transport transport = Transport::Any;
    std::optional<Network> network;  ///< none: recognised by its name
    std::string name;                ///< in lower case, no dot at its end; only over TLS

    TrustedPeer() = default;
    /// Every sender from that network.
    TrustedPeer(Network from) : network(from) {}

    /// Refuses what is none of these forms, naming the text.
    static Result<TrustedPeer> parse(std::string_view text);
    std::string toString() const;

    /// Whether datagrams with this peer's source address are trusted, though anybody can forge it.
    bool believesDatagrams() const noexcept
    {
        return transport == Transport::Any || transport == Transport::Udp;
    }

    friend bool operator==(const TrustedPeer&, const TrustedPeer&) = default;
};

}  // namespace restante
