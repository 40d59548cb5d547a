#pragma once

#include "core/base/result.h"
#include "sipplugin/message/sip_message_codec.h"
#include "sipplugin/outbound/delivery_route.h"

#include <string>

namespace restante::sip {

/// The request as it goes out, but for the Via that the agent adds. Invalid when a field holds a
/// line break or a NUL. *Pure function.*
Result<std::string> printRequest(const OutgoingMessage& message, const DeliveryRoute& route);

}  // namespace restante::sip
