#pragma once

#include "sipplugin/message/transport_address.h"

#include <string>
#include <sys/socket.h>

namespace restante::sip {

/// A socket address in the kernel's form. *Value.*
struct SocketName {
    sockaddr_storage storage{};
    socklen_t length = sizeof(sockaddr_storage);
    /// For datagrams: the own address, without a port, that one was received on, or that one is to
    /// be sent from; empty = that of the socket, or the one that routing picks.
    std::string localAddress = {};

    sockaddr* raw() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
    const sockaddr* raw() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
    int family() const noexcept { return storage.ss_family; }
};
/// `host` is an address literal, IPv6 without brackets.
SocketName socketNameOf(const std::string& host, std::uint16_t port);
/// The reverse of socketNameOf().
TransportAddress addressOf(const SocketName& name, Transport transport);
/// The same address with another port; a link-local one stays on its link.
SocketName withPort(SocketName name, std::uint16_t port);
/// An address literal as addressOf() writes it; any other host unchanged.
std::string canonicalHost(std::string_view host);
/// The address that the socket is bound to.
SocketName localSocketName(int fd);
/// The own address that routing picks for `destination`; sends nothing. "" without a route.
std::string localAddressTo(const SocketName& destination);

}  // namespace restante::sip
