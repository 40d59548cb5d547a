#pragma once

#include "sipplugin/message/listen_address.h"

#include <string>
#include <sys/socket.h>

namespace restante::sip {

/// An address as the kernel wants it. *Value.*
struct SocketName {
    sockaddr_storage storage{};
    socklen_t length = sizeof(sockaddr_storage);
    /// Our own address, without a port, that a datagram from there came to, or that one for there
    /// is to leave from; empty = that of the socket, or the one that routing picks.
    std::string local = {};

    sockaddr* raw() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
    const sockaddr* raw() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
    int family() const noexcept { return storage.ss_family; }
};
/// `host` is an address literal, IPv6 without brackets.
SocketName nameOf(const std::string& host, std::uint16_t port);
/// The way back.
ListenAddress addressOf(const SocketName& name, Transport transport);
/// The same place with another port; of a link-local address on the same link.
SocketName withPort(SocketName name, std::uint16_t port);
/// An address literal as addressOf() writes it; any other host as it is.
std::string canonicalHost(std::string_view host);
/// Where that end of the socket is bound.
SocketName ownNameOf(int fd);
/// Our address on the way there, without sending anything; "" when there is no way.
std::string localAddressTo(const SocketName& destination);

}  // namespace restante::sip
