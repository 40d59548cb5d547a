#pragma once

#include "sipplugin/sip_settings.h"

#include <cstdint>

namespace restante::sip {

/// Binds and lets go: the bound port, or 0 with errno. sofia binds UDP with SO_REUSEADDR, with
/// which Linux lets two programs share a port and each get part of the datagrams; this does not.
std::uint16_t probe(const ListenAddress& address);

/// What the kernel may hold unread of one TCP connection at most, in bytes: once limited as below.
constexpr std::uint32_t kUnreadOfTcp = 192 * 1024;

/// Limits what the kernel holds of each connection that is made to a listening TCP socket of this
/// process; false when there is no such socket.
bool limitUnread(const ListenAddress& address);

}  // namespace restante::sip
