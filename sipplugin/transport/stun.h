#pragma once

#include "sipplugin/transport/sockets.h"

#include <optional>
#include <string>
#include <string_view>

namespace restante::sip {

/// The answer to a STUN binding request (RFC 8489), by which devices keep their way through a NAT
/// open (RFC 5626 section 4.4.2); nothing when `datagram` is none. *Pure function.*
std::optional<std::string> stunAnswer(std::string_view datagram, const SocketName& source);

}  // namespace restante::sip
