#pragma once

#include "core/base/file_descriptor.h"
#include "core/base/result.h"
#include "sipplugin/sip_settings.h"

#include <cstdint>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace restante::sip {

/// An address as the kernel wants it. *Value.*
struct SocketName {
    sockaddr_storage storage{};
    socklen_t length = sizeof(sockaddr_storage);

    sockaddr* raw() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
    const sockaddr* raw() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
    int family() const noexcept { return storage.ss_family; }
};
/// `host` is an address literal, IPv6 without brackets.
SocketName nameOf(const std::string& host, std::uint16_t port);
/// The way back.
ListenAddress addressOf(const SocketName& name, Transport transport);
/// Where that end of the socket is bound.
SocketName ownNameOf(int fd);
/// Our address on the way there, without sending anything; "" when there is no way.
std::string localAddressTo(const SocketName& destination);

struct Listener {
    FileDescriptor socket;
    ListenAddress address;  ///< as bound: a port 0 has become a real one
};
/// Non-blocking sockets: of TCP and TLS such as listen, of UDP such as tell what the network says
/// of datagrams that did not arrive. Addresses of one host and port 0 get the same port. The error
/// names the address, the port and what to do.
Result<std::vector<Listener>> listenOn(std::vector<ListenAddress> addresses);

}  // namespace restante::sip
