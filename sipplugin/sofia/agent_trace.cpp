// What the agent shows to sip.trace.

#include "sipplugin/sofia/agent_impl.h"
#include "sipplugin/trace/message_tracer.h"

#include <sofia-sip/msg_addr.h>
#include <sofia-sip/nta_tport.h>
#include <sofia-sip/sip.h>
#include <sofia-sip/sip_header.h>
#include <sofia-sip/tport.h>
#include <sofia-sip/url.h>

#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <string_view>

namespace restante::sip {

namespace {

/// The bytes of a message that came, or has been sent: its lines as they are, but for those that
/// sofia has rewritten since, the top Via of what came.
std::string bytesOf(msg_t* message)
{
    const auto* sip = sip_object(message);
    auto* header = sip->sip_request != nullptr ? reinterpret_cast<msg_header_t*>(sip->sip_request)
                                               : reinterpret_cast<msg_header_t*>(sip->sip_status);
    std::string bytes;
    for (; header != nullptr; header = header->sh_succ) {
        if (header->sh_data != nullptr) {
            bytes.append(static_cast<const char*>(header->sh_data), header->sh_len);
            continue;
        }
        const auto* value =
            sip_header_as_string(msg_home(message), reinterpret_cast<sip_header_t*>(header));
        if (header->sh_class->hc_name != nullptr && value != nullptr) {
            bytes.append(header->sh_class->hc_name).append(": ").append(value).append("\r\n");
        }
    }
    return bytes;
}

ListenAddress addressOf(const char* host, const char* port, Transport transport)
{
    ListenAddress address{transport, host == nullptr ? "" : host,
                          static_cast<std::uint16_t>(transport == Transport::Tls ? 5061 : 5060)};
    if (address.host.starts_with('[')) {
        address.host = address.host.substr(1, address.host.size() - 2);
    }
    const std::string_view digits = port == nullptr ? "" : port;
    std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
    return address;
}

ListenAddress addressOf(const su_sockaddr_t* name, Transport transport)
{
    std::array<char, INET6_ADDRSTRLEN> host{};
    su_inet_ntop(name->su_family, SU_ADDR(name), host.data(), host.size());
    return {transport, host.data(), ntohs(name->su_port)};
}

/// We are where our own Via says, which names an address even when we listen on all.
ListenAddress ownAddress(const sip_via_t* via)
{
    const std::string_view protocol = via->v_protocol == nullptr ? "" : via->v_protocol;
    const auto transport = protocol.ends_with("UDP")   ? Transport::Udp
                           : protocol.ends_with("TCP") ? Transport::Tcp
                                                       : Transport::Tls;
    return addressOf(via->v_host, via->v_port, transport);
}

std::string uriOf(msg_t* message, const sip_addr_t* address)
{
    const auto* text =
        address == nullptr ? nullptr : url_as_string(msg_home(message), address->a_url);
    return text == nullptr ? "" : text;
}

}  // namespace

ListenAddress Agent::Impl::behindTunnel(ListenAddress peer) const
{
    const bool isTunnel = tls && peer.transport == Transport::Tls;
    const auto* real = isTunnel ? tls->peerAt(peer.port) : nullptr;
    return real == nullptr ? peer : ListenAddress{Transport::Tls, real->host, real->port};
}

void Agent::Impl::show(msg_t* message, const ListenAddress& from, const ListenAddress& to) const
{
    const auto* sip = sip_object(message);
    if (!tracer->wants(uriOf(message, sip->sip_from), uriOf(message, sip->sip_to))) {
        return;
    }
    const auto bytes = bytesOf(message);
    const auto* callId = sip->sip_call_id == nullptr ? nullptr : sip->sip_call_id->i_id;
    tracer->trace(
        {std::chrono::system_clock::now(), from, to, bytes, callId == nullptr ? "" : callId});
}

void Agent::Impl::traceArrival(msg_t* message) const
{
    if (!tracer) {
        return;
    }
    auto* transport = tport_delivered_by(nta_agent_tports(agent.get()), message);
    if (transport == nullptr || nta_sip_is_internal(sip_object(message)) != 0) {
        return;
    }
    const auto own =
        ownAddress(reinterpret_cast<const sip_via_t*>(tport_magic(tport_parent(transport))));
    show(message, behindTunnel(addressOf(msg_addr(message), own.transport)), own);
}

void Agent::Impl::traceAnswer(msg_t* message, tport_s* transport, const ListenAddress& to) const
{
    show(message,
         ownAddress(reinterpret_cast<const sip_via_t*>(tport_magic(tport_parent(transport)))), to);
}

bool Agent::Impl::traceRequest(msg_t* message, const tport_s* connection) const
{
    const auto* sip = sip_object(message);
    if (!tracer) {
        return true;
    }
    if (sip == nullptr || sip->sip_via == nullptr) {
        return false;  // not sent yet: its host is being looked up
    }
    const auto own = ownAddress(sip->sip_via);
    const auto* name = connection == nullptr ? nullptr : tport_name(connection);
    show(message, own,
         behindTunnel(name == nullptr ? addressOf(msg_addr(message), own.transport)
                                      : addressOf(name->tpn_host, name->tpn_port, own.transport)));
    return true;
}

}  // namespace restante::sip
