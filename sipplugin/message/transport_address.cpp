#include "sipplugin/message/transport_address.h"

#include "core/base/network.h"
#include "core/base/text.h"

#include <arpa/inet.h>

namespace restante::sip {

std::string_view name(Transport transport) noexcept
{
    switch (transport) {
    case Transport::Udp: return "udp";
    case Transport::Tcp: return "tcp";
    case Transport::Tls: return "tls";
    }
    return "";
}

std::optional<Transport> parseTransport(std::string_view text) noexcept
{
    for (const auto one : {Transport::Udp, Transport::Tcp, Transport::Tls}) {
        if (equalIgnoringCase(text, name(one))) {
            return one;
        }
    }
    return std::nullopt;
}

std::string TransportAddress::hostPort() const
{
    return fmt::format("{}:{}", bracketed(host), port);
}

bool isAddressLiteral(std::string_view host)
{
    const std::string bare{withoutBrackets(host)};
    unsigned char bytes[sizeof(in6_addr)];
    return inet_pton(AF_INET, bare.c_str(), bytes) == 1 ||
           inet_pton(AF_INET6, bare.c_str(), bytes) == 1;
}

std::string bracketed(const std::string& host)
{
    return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

std::string_view withoutBrackets(std::string_view host)
{
    const bool hasBrackets = host.size() > 2 && host.starts_with('[') && host.ends_with(']');
    return hasBrackets ? host.substr(1, host.size() - 2) : host;
}

bool isWildcardAddress(std::string_view host)
{
    return isAnyAddress(host);
}

}  // namespace restante::sip
