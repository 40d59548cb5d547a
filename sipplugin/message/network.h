#pragma once

#include "core/base/network.h"

#include <string>
#include <string_view>
#include <vector>

namespace restante::sip {

/// A set of IP networks, such as `sip.trusted`. *Value.*
class Networks {
public:
    Networks() = default;
    /// Reads "127.0.0.0/8", "::1", "2001:db8::/32". The error names the one that is wrong.
    static Result<Networks> parse(const std::vector<std::string>& texts);

    /// `address` is a literal, IPv6 without brackets. What is no address is in no network.
    bool contains(std::string_view address) const noexcept;

private:
    std::vector<Network> networks_;
};

}  // namespace restante::sip
