#include "sipplugin/outbound/delivery_route.h"

#include "core/base/try.h"
#include "sipplugin/message/request_text.h"
#include "sipplugin/settings/sip_settings.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace restante::sip {

namespace {

constexpr int kSipPort = 5060;

/// Keeps parameters such as `;lr=on`, drops what would become headers of the request.
std::string withoutHeaders(const std::string& uri)
{
    return uri.substr(0, uri.find('?'));
}

std::string addressOf(const SipUri& uri)
{
    return uri.host + ":" + std::to_string(uri.port == 0 ? kSipPort : uri.port);
}

/// Whether a NAT has changed the host: the REGISTER came from another one than the contact names.
bool isTranslated(const SipUri& contact, const Binding& binding)
{
    return binding.behindNat && !binding.source.starts_with(contact.host + ":");
}

/// The next hop over TLS. Without a port its SRV records decide, then 5061 (RFC 3263).
std::string secureHopTo(const SipUri& contact)
{
    const auto port = contact.port == 0 ? "" : ":" + std::to_string(contact.port);
    return "sip:" + contact.host + port + ";transport=tls";
}

/// The contact's transport, else that of the REGISTER; nothing for an unsupported one.
std::optional<Transport> transportOf(const SipUri& contact, const Binding& binding)
{
    if (contact.scheme == "sips") {
        return Transport::Tls;
    }
    const auto* wanted = contact.param("transport");
    return parseTransport(wanted != nullptr ? *wanted : binding.transport);
}

void routeDirectly(const SipUri& contact, const Binding& binding, DeliveryRoute& route)
{
    const auto transport = transportOf(contact, binding);
    const bool sameTransport =
        transport && transport == parseTransport(binding.transport) && !binding.source.empty();
    route.flow = sameTransport ? binding.flow : std::string();
    // We cannot connect to the contact: it is the peer's end of this connection (an ephemeral
    // port), is behind a NAT, or belongs to a device of RFC 5626, which requires its flow.
    const bool needsFlow = addressOf(contact) == binding.source || isTranslated(contact, binding) ||
                           !binding.regId.empty();
    route.onlyByFlow = !route.flow.empty() && transport != Transport::Udp && needsFlow;
    // RFC 5626 section 5.3: the flow is used, not a port that only the contact names.
    const bool isFlowOverUdp = !route.flow.empty() && transport == Transport::Udp &&
                               !binding.instance.empty() && !binding.regId.empty() &&
                               addressOf(contact) != binding.source;
    // Over TCP and TLS a device connects from an ephemeral port, on which it does not listen, so
    // its contact is the better address there.
    if (isFlowOverUdp ||
        (sameTransport && transport == Transport::Udp && isTranslated(contact, binding))) {
        route.neverChangesToTcp = true;  // the NAT would let no connection in
        route.nextHop = "sip:" + binding.source + ";transport=udp";
    } else if (transport == Transport::Tls) {
        route.nextHop = secureHopTo(contact);
    } else if (transport == Transport::Tcp) {
        route.nextHop = "sip:" + addressOf(contact) + ";transport=tcp";
    } else if (const auto* unknown = contact.param("transport"); !transport && unknown != nullptr) {
        route.nextHop = "sip:" + addressOf(contact) + ";transport=" + *unknown;
    } else {
        // Without a transport, so that a long message may go by TCP (RFC 3261 section 18.1.1).
        route.nextHop = "sip:" + addressOf(contact);
    }
}

bool isFollowed(int status) noexcept
{
    return status == 300 || status == 301 || status == 302;
}

/// The q of a contact; a malformed one counts as 1, as a missing one does.
double preferenceOf(const NameAddr& contact)
{
    const auto* text = contact.param("q");
    double q = 1.0;
    if (text == nullptr) {
        return q;
    }
    const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), q);
    return error == std::errc{} && q >= 0.0 && q <= 1.0 ? q : 1.0;
}

}  // namespace

std::string_view flowOwnerOf(std::string_view flow)
{
    return flow.substr(0, flow.find_first_of("/#"));
}

bool ownerDelivers(const DeliveryRoute& route)
{
    const bool isConnection = route.flow.find('/') != std::string::npos;
    return route.onlyByFlow || isConnection || (route.neverChangesToTcp && !route.flow.empty());
}

Result<DeliveryRoute> routeToDevice(const Binding& binding)
{
    auto contact = TRY(parseSipUri(binding.contact));
    DeliveryRoute route;
    route.requestUri = withoutHeaders(binding.contact);
    route.origin.source = binding.source;
    if (binding.path.empty()) {
        routeDirectly(contact, binding, route);
        return route;
    }
    return parseNameAddr(binding.path.front()).map([&](const NameAddr& first) {
        route.routeSet = binding.path;
        route.nextHop = first.uri;
        return route;
    });
}

Result<DeliveryRoute> routeToDeviceThroughProxy(const Binding& binding,
                                                const std::vector<std::string>& proxies)
{
    TRY(parseSipUri(binding.contact));
    return routeThroughProxy(withoutHeaders(binding.contact), proxies);
}

DeliveryRoute routeThroughProxy(std::string_view requestUri,
                                const std::vector<std::string>& proxies)
{
    DeliveryRoute route;
    route.requestUri = requestUri;
    route.nextHop = proxies.front();
    route.otherHops.assign(proxies.begin() + 1, proxies.end());
    route.origin.configured = true;
    return route;
}

Result<std::string> formatRequest(const OutgoingMessage& message, const DeliveryRoute& route)
{
    RequestWriter writer("MESSAGE", route.requestUri);
    for (const auto& hop : route.routeSet) {
        writer.addLine("Route", hop);
    }
    writer.addLine("Max-Forwards", std::to_string(message.maxForwards));
    writer.addLine("From", message.from);
    writer.addLine("To", message.to);
    writer.addLine("Call-ID", message.callId);
    writer.addLine("CSeq", std::to_string(message.cseq) + " MESSAGE");
    for (const auto& [name, value] : message.headers) {
        writer.addLine(name, value);
    }
    if (!message.contentType.empty()) {
        writer.addLine("Content-Type", message.contentType);
    }
    return std::move(writer).finish(message.body);
}

Redirection redirectionOf(int status,
                          const std::vector<std::string>& contacts,
                          const std::function<bool(const SipUri&)>& isLocal)
{
    Redirection redirection;
    std::vector<std::pair<double, std::string>> localTargets;
    for (const auto& text : contacts) {
        const auto contact = parseNameAddr(text);
        const auto uri = contact ? parseSipUri(contact->uri) : failure(contact.error().code, "");
        if (!isFollowed(status) || !uri || uri->user.empty()) {
            continue;
        }
        if (isLocal(*uri)) {
            localTargets.emplace_back(preferenceOf(*contact),
                                      contact->uri.substr(0, contact->uri.find('?')));
        } else {
            ++redirection.foreign;
        }
    }
    std::ranges::stable_sort(localTargets, std::greater{}, &std::pair<double, std::string>::first);
    for (auto& [q, uri] : localTargets) {
        redirection.targets.push_back(std::move(uri));
    }
    return redirection;
}

std::string targetKey(const SipUri& uri)
{
    return fmt::format("{}@{}:{}", uri.user, uri.host, uri.port);
}

}  // namespace restante::sip
