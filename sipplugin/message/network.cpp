#include "sipplugin/message/network.h"

#include <algorithm>

namespace restante::sip {

Result<Networks> Networks::parse(const std::vector<std::string>& texts)
{
    Networks all;
    for (const auto& text : texts) {
        auto network = Network::parse(text);
        if (!network) {
            return tl::unexpected(network.error());
        }
        all.networks_.push_back(*network);
    }
    return all;
}

bool Networks::contains(std::string_view address) const noexcept
{
    return std::ranges::any_of(networks_,
                               [&](const Network& network) { return network.contains(address); });
}

}  // namespace restante::sip
