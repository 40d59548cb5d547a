#include "sipplugin/message/local_domains.h"

#include "core/base/network.h"
#include "sipplugin/message/aor.h"

#include <algorithm>
#include <fmt/format.h>

namespace restante::sip {

LocalDomains::LocalDomains(const std::vector<std::string>& domains,
                           const std::vector<TransportAddress>& listening)
    : hosts_{"localhost"}
{
    for (const auto& domain : domains) {
        addHost(domain);
    }
    for (const auto& address : listening) {
        addHost(address.host);
    }
    if (std::ranges::any_of(listening, isWildcardAddress, &TransportAddress::host)) {
        std::ranges::for_each(machineAddresses(), [this](const auto& one) { addHost(one); });
    }
}

void LocalDomains::addHost(std::string_view host)
{
    const bool bareIpv6 = host.find(':') != std::string_view::npos && !host.starts_with('[');
    // By the parser, so that contains() compares the same spelling.
    const auto uri =
        parseSipUri(bareIpv6 ? fmt::format("sip:[{}]", host) : fmt::format("sip:{}", host));
    if (uri) {
        hosts_.insert(uri->host);
    }
}

}  // namespace restante::sip
