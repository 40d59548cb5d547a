#pragma once

#include "sipplugin/message/aor.h"
#include "sipplugin/message/sip_message_codec.h"
#include "sipplugin/registration/binding_store.h"
#include "sipplugin/transport/request_sender.h"

#include <cstddef>
#include <functional>

namespace restante::sip {

/// The route of one copy of a message. *Value.*
struct DeliveryRoute : RequestSender::Route {
    std::string requestUri;
    std::vector<std::string> routeSet;  ///< Route values, first = nearest
};

/// The name of the owner of a flow: the daemon's run for a connection, else the UDP socket. *Pure
/// function.*
std::string_view flowOwnerOf(std::string_view flow);

/// Whether the daemon that owns the device's flow should deliver while it lives: the flow is a
/// connection, or the socket that the device's NAT lets in. Another daemon uses the contact only
/// when that owner is gone. *Pure function.*
bool ownerDelivers(const DeliveryRoute& route);

/// The route to a device: through the Path it registered with (RFC 3327); else, over
/// UDP and when its contact names another address than its REGISTER came from, behind a NAT or by a
/// flow, to the source of that (RFC 3581, 5626); else to the contact. Invalid when the contact is
/// no SIP URI, or the Path names no address. *Pure function.*
Result<DeliveryRoute> routeToDevice(const Binding& binding);

/// The route through the proxy to one device that has registered there; we know its contact from
/// the copied REGISTER. Invalid when the contact is no SIP URI. *Pure function.*
Result<DeliveryRoute> routeToDeviceThroughProxy(const Binding& binding,
                                                const std::vector<std::string>& proxies);

/// The route of a request to `requestUri`, an AoR or one contact, through `sip.proxy` (not empty).
/// Without a preloaded Route header: commonly configured registrars answer one with 403. *Pure
/// function.*
DeliveryRoute routeThroughProxy(std::string_view requestUri,
                                const std::vector<std::string>& proxies);

/// The request without the Via. Fails with Invalid where RequestWriter::finish() does.
/// *Pure function.*
Result<std::string> formatRequest(const OutgoingMessage& message, const DeliveryRoute& route);

/// The targets of a redirection. *Value.*
struct Redirection {
    std::vector<std::string> targets;  ///< SIP URIs without headers, the best first
    std::size_t foreign = 0;           ///< number of contacts outside our domains, left out
};

/// Reads the Contacts of a 300, 301 or 302 (RFC 3261 section 8.1.3.4), by `q`, then as written. No
/// other status is followed: a 305 would let a device choose our proxy. Targets that `isLocal`
/// rejects are left out, or a device could redirect messages anywhere; so are those without a user.
/// *Pure function.*
Redirection redirectionOf(int status,
                          const std::vector<std::string>& contacts,
                          const std::function<bool(const SipUri&)>& isLocal);

/// User, host and port: identifies a target, so that none is tried twice. *Pure function.*
std::string targetKey(const SipUri& uri);

}  // namespace restante::sip
