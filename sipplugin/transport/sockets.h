#pragma once

#include "core/base/file_descriptor.h"
#include "core/base/network.h"
#include "sipplugin/message/socket_name.h"
#include "sipplugin/message/transport_address.h"

#include <sys/types.h>

namespace restante::sip {

struct Listener {
    FileDescriptor socket;
    TransportAddress address;  ///< as bound: a port 0 has become a real one
};
/// Non-blocking sockets: for TCP and TLS listening, for UDP with ICMP errors in the error queue.
/// Addresses of one host and port 0 get the same port. The error names the address, the port and
/// what to do.
Result<std::vector<Listener>> listenOn(std::vector<TransportAddress> addresses,
                                       PortSharing sharing = PortSharing::Alone);

/// recvfrom() into `buffer`; for a socket on a wildcard it also sets `from.localAddress`.
ssize_t receiveFrom(int fd, std::string& buffer, SocketName& from);
/// sendto(), from `to.localAddress` unless that is empty.
ssize_t sendTo(int fd, const SocketName& to, std::string_view bytes);

/// The answer to a STUN binding request (RFC 8489), by which devices keep their NAT binding open
/// (RFC 5626 section 4.4.2); nothing when `datagram` is none. *Pure function.*
std::optional<std::string> stunAnswer(std::string_view datagram, const SocketName& source);

}  // namespace restante::sip
