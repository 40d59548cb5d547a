#pragma once

#include "sipplugin/message/received_request.h"

#include <string>

namespace restante::sip {

/// "address:port" that a request came from, IPv6 in brackets.
std::string sourceOf(const ReceivedRequest& request);

/// No proxy has brought it: its flow is the device's own.
bool isDirect(const ReceivedRequest& request);

/// A device that knows its own address says in its Via where its request came from (RFC 3581): its
/// contact can be believed, also when it names somebody else. Any other is behind a NAT.
bool isBehindNat(const ReceivedRequest& request);

}  // namespace restante::sip
