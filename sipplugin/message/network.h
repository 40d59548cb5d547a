#pragma once

#include "core/base/network.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace restante::sip {

/// `address` is a literal, IPv6 without brackets. False for anything that is no address.
inline bool anyContains(const std::vector<Network>& networks, std::string_view address) noexcept
{
    return std::ranges::any_of(networks,
                               [&](const Network& network) { return network.contains(address); });
}

}  // namespace restante::sip
