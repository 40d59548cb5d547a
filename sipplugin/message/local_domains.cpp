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
        addAddress(domain);
    }
    for (const auto& address : listening) {
        addAddress(address.host);
    }
    if (std::ranges::any_of(listening, isWildcardAddress, &TransportAddress::host)) {
        std::ranges::for_each(machineAddresses(), [this](const auto& one) { addAddress(one); });
    }
}

void LocalDomains::addAddress(std::string_view address)
{
    const bool bareIpv6 = address.find(':') != std::string_view::npos && !address.starts_with('[');
    // By the parser, so that contains() compares the same spelling.
    const auto uri =
        parseSipUri(bareIpv6 ? fmt::format("sip:[{}]", address) : fmt::format("sip:{}", address));
    if (uri) {
        hosts_.insert(uri->host);
    }
}

}  // namespace restante::sip
