#pragma once

#include "core/base/clock.h"
#include "core/base/network.h"

#include <cstdint>
#include <string>

/// Finds the processes that use ports of this machine, and tries a port of any. *Pure of side
/// effects but for a socket that is closed again.*
namespace restante::cli {

enum class Transport { Udp, Tcp };

/// 0 if a program could listen there now, else the errno.
int whyNotBindable(const SocketAddress& address, Transport transport);

/// The process that listens at that address, or at all of the machine's on its port: 0 when there
/// is none, -1 when this user may not see it.
int processOn(const SocketAddress& address, Transport transport);
/// "restanted (process 4711)" for whoever listens there; "another user's process" when this user
/// may not know, empty when nobody is found.
std::string holderOf(const SocketAddress& address, Transport transport);

/// Whether somebody accepts a TCP connection; `host` may be a name, whose addresses are tried in
/// turn, each for `timeout`.
bool acceptsConnections(const std::string& host, std::uint16_t port, Millis timeout);

}  // namespace restante::cli
