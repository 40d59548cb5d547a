#pragma once

#include "sipplugin/message/aor.h"
#include "sipplugin/message/sip_message_codec.h"
#include "sipplugin/registration/binding_store.h"
#include "sipplugin/transport/request_sender.h"

#include <cstddef>
#include <functional>

namespace restante::sip {

/// Which way one copy of a message takes. *Value.*
struct DeliveryRoute : RequestSender::Route {
    std::string requestUri;
    std::vector<std::string> routeSet;  ///< Route values, first = nearest
};

/// The run of a daemon with the connection, or the UDP socket, of that flow. *Pure function.*
std::string_view flowHolderOf(std::string_view flow);

/// Whether the device's flow is the way to it while its owner lives: a connection, or the socket
/// that its NAT knows. Others dial the contact only when that owner is away. *Pure function.*
bool ownerDelivers(const DeliveryRoute& route);

/// To a device. Through the Path it registered with (RFC 3327); else, when it is behind a NAT and
/// its contact names another host than its REGISTER came from, to where that came from (RFC 3581,
/// 5626); else to the contact. Invalid when the contact is no SIP URI. *Pure function.*
Result<DeliveryRoute> routeToDevice(const Binding& binding);

/// To one device of somebody who has registered at that server: it has the contact, and we know it
/// from the copied REGISTER. Invalid when the contact is no SIP URI. *Pure function.*
Result<DeliveryRoute> routeToDeviceThroughProxy(const Binding& binding,
                                                const std::vector<std::string>& proxies);

/// To whoever `aor` is, through the server that knows (`sip.proxy`, not empty). No Route header is
/// preloaded: registrars as commonly configured answer one with 403. *Pure function.*
DeliveryRoute routeThroughProxy(std::string_view aor, const std::vector<std::string>& proxies);

/// The request but for the Via. Invalid as RequestWriter has it. *Pure function.*
Result<std::string> printRequest(const OutgoingMessage& message, const DeliveryRoute& route);

/// Where a redirection leads. *Value.*
struct Redirection {
    std::vector<std::string> targets;  ///< SIP URIs without headers, the best first
    std::size_t foreign = 0;           ///< contacts that are nobody's of ours: left out
};

/// Reads the Contacts of a 300, 301 or 302 (RFC 3261 section 8.1.3.4), by `q`, then as written. Any
/// other status leads nowhere: a 305 would let a device choose our proxy. What `isLocal` does not
/// know is left out, or a device could send messages of others anywhere. *Pure function.*
Redirection redirectionOf(int status,
                          const std::vector<std::string>& contacts,
                          const std::function<bool(const SipUri&)>& isLocal);

/// User, host and port, so that no place is tried twice. *Pure function.*
std::string targetKey(const SipUri& uri);

}  // namespace restante::sip
