#include "sipplugin/local_domains.h"

#include "sipplugin/aor.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <memory>
#include <netinet/in.h>

namespace restante::sip {

LocalDomains::LocalDomains(const std::vector<std::string>& domains,
                           const std::vector<ListenAddress>& listening)
    : hosts_{"localhost"}
{
    for (const auto& domain : domains) {
        addAddress(domain);
    }
    bool everywhere = false;
    for (const auto& address : listening) {
        addAddress(address.host);
        everywhere = everywhere || address.host == "0.0.0.0" || address.host == "::";
    }
    if (everywhere) {
        addMachine();
    }
}

bool LocalDomains::own(std::string_view host) const
{
    return hosts_.contains(std::string{host});
}

void LocalDomains::addAddress(std::string_view address)
{
    const bool bareIpv6 = address.find(':') != std::string_view::npos && !address.starts_with('[');
    // Through the parser, so that both sides are spelled alike.
    const auto uri =
        parseSipUri(bareIpv6 ? fmt::format("sip:[{}]", address) : fmt::format("sip:{}", address));
    if (uri) {
        hosts_.insert(uri->host);
    }
}

void LocalDomains::addMachine()
{
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) {
        return;
    }
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner{first, &::freeifaddrs};
    for (const auto* one = first; one != nullptr; one = one->ifa_next) {
        char text[INET6_ADDRSTRLEN] = {};
        if (one->ifa_addr == nullptr) {
            continue;
        }
        if (one->ifa_addr->sa_family == AF_INET) {
            const auto* v4 = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
            addAddress(inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text));
        } else if (one->ifa_addr->sa_family == AF_INET6) {
            const auto* v6 = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr);
            addAddress(inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text));
        }
    }
}

}  // namespace restante::sip
