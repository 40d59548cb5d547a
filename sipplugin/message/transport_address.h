#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace restante::sip {

enum class Transport { Udp, Tcp, Tls };

std::string_view name(Transport transport) noexcept;  ///< "udp", "tcp", "tls"
/// The reverse, without case (RFC 3261 section 7.3.1); nothing for an unsupported transport.
std::optional<Transport> parseTransport(std::string_view text) noexcept;

/// A transport, an IP address and a port: where a socket listens, or a peer is. *Value.*
struct TransportAddress {
    Transport transport = Transport::Udp;
    std::string host;  ///< an address literal, IPv6 without brackets
    std::uint16_t port = 5060;

    /// "udp:127.0.0.1:5060", "tcp:[::1]:5060", "tls:192.0.2.7:5061"
    std::string toString() const { return fmt::format("{}:{}", name(transport), hostPort()); }
    std::string hostPort() const;  ///< the same without the transport
    friend bool operator==(const TransportAddress&, const TransportAddress&) = default;
};

/// Whether it is an IP address: "192.0.2.1", "2001:db8::1", "[2001:db8::1]".
bool isAddressLiteral(std::string_view host);
/// The host as written before a port: IPv6 in brackets.
std::string bracketed(const std::string& host);
std::string_view withoutBrackets(std::string_view host);
/// Whether a socket that is bound to it listens on every address of its family.
bool isWildcardAddress(std::string_view host);

}  // namespace restante::sip
