#pragma once

#include "sipplugin/trace/traced_message.h"

#include <cstdint>
#include <string>

namespace restante::sip {

/// One message as a HEP version 3 packet, as Homer's heplify-server takes it: addresses, ports,
/// transport, time in microseconds, the bytes, and Call-ID as the correlation id. `agent` tells
/// Homer who captured it. *Pure function.*
std::string hepPacket(const TracedMessage& message, std::uint32_t agent);

}  // namespace restante::sip
