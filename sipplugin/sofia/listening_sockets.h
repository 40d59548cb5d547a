#pragma once

#include "core/base/file_descriptor.h"
#include "core/base/result.h"
#include "sipplugin/sip_settings.h"

#include <cstdint>
#include <string>
#include <sys/socket.h>

namespace restante::sip {

/// An address as the kernel wants it. *Value.*
struct SocketName {
    sockaddr_storage storage{};
    socklen_t length = 0;

    sockaddr* raw() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
    const sockaddr* raw() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
};
/// `host` is an address literal, IPv6 without brackets.
SocketName nameOf(const std::string& host, std::uint16_t port);

/// For errno after binding has failed: names the address, the port and what to do.
tl::unexpected<Error> cannotListen(const ListenAddress& address, int reason);

struct Listener {
    FileDescriptor socket;
    std::uint16_t port = 0;  ///< as bound
};
/// A TCP socket that listens there, non-blocking.
Result<Listener> listenOn(const ListenAddress& address);

/// Binds and lets go: the bound port, or 0 with errno. sofia binds UDP with SO_REUSEADDR, with
/// which Linux lets two programs share a port and each get part of the datagrams; this does not.
std::uint16_t probe(const ListenAddress& address);

/// What the kernel may hold unread of one TCP connection at most, in bytes: once limited as below.
constexpr std::uint32_t kUnreadOfTcp = 192 * 1024;

/// The descriptor of this process's TCP socket that listens there; -1 when there is none. sofia
/// shows its sockets to nobody.
int listeningSocket(const ListenAddress& address);

/// Limits what the kernel holds of each connection that is made to a listening TCP socket of this
/// process; false when there is no such socket.
bool limitUnread(const ListenAddress& address);

}  // namespace restante::sip
