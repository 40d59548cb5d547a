#include "sipplugin/message/listen_address.h"

#include "core/base/text.h"

#include <arpa/inet.h>
#include <fmt/format.h>

namespace restante::sip {

namespace {

constexpr std::uint16_t kSipPort = 5060;
constexpr std::uint16_t kSipsPort = 5061;

tl::unexpected<Error> refused(std::string_view text, std::string_view why)
{
    return failure(ErrorCode::Invalid,
                   fmt::format("sip.listen: \"{}\" {}; write [udp:|tcp:|tls:]address[:port], such "
                               "as \"127.0.0.1:5060\", \"tcp:[::1]:5060\", \"tls:0.0.0.0:5061\" "
                               "or \"0.0.0.0\"",
                               text, why));
}

}  // namespace

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

std::string ListenAddress::print() const
{
    return fmt::format("{}:{}", name(transport), hostPort());
}

std::string ListenAddress::hostPort() const
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
    const bool hasThem = host.size() > 2 && host.starts_with('[') && host.ends_with(']');
    return hasThem ? host.substr(1, host.size() - 2) : host;
}

bool isEverywhere(std::string_view host)
{
    return host == "0.0.0.0" || host == "::";
}

Result<std::vector<ListenAddress>> parseListen(std::string_view text)
{
    auto rest = text;
    std::vector<Transport> transports{Transport::Udp, Transport::Tcp};
    for (const auto one : {Transport::Udp, Transport::Tcp, Transport::Tls}) {
        if (rest.starts_with(name(one)) && rest.substr(3).starts_with(':')) {
            transports = {one};
            rest.remove_prefix(4);
            break;
        }
    }
    std::string host;
    if (rest.starts_with('[')) {
        const auto end = rest.find(']');
        if (end == std::string_view::npos) {
            return refused(text, "has no ] after the IPv6 address");
        }
        host = rest.substr(1, end - 1);
        rest.remove_prefix(end + 1);
    } else {
        host = rest.substr(0, rest.find(':'));
        rest.remove_prefix(host.size());
    }
    if (!isAddressLiteral(host)) {
        return refused(text, "names no IPv4 or [IPv6] address");
    }
    std::uint16_t port = transports.front() == Transport::Tls ? kSipsPort : kSipPort;
    if (!rest.empty()) {
        const auto written = wholeNumber<std::uint16_t>(rest.substr(1));
        if (rest.front() != ':' || !written) {
            return refused(text, "has no port from 0 to 65535");
        }
        port = *written;
    }
    std::vector<ListenAddress> addresses;
    for (const auto transport : transports) {
        addresses.push_back({transport, host, port});
    }
    return addresses;
}

}  // namespace restante::sip
