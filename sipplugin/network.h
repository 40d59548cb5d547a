#pragma once

#include "core/base/result.h"

#include <array>
#include <cstdint>
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

    /// `address` is a literal, IPv6 without brackets. An IPv4 address mapped into IPv6 counts as
    /// IPv4. What is no address is in no network.
    bool contains(std::string_view address) const;

private:
    using Bytes = std::array<std::uint8_t, 16>;  ///< IPv4 as ::ffff:a.b.c.d
    struct Network {
        Bytes address{};
        unsigned bits = 128;
    };
    static bool read(std::string_view text, Bytes& bytes);

    std::vector<Network> networks_;
};

}  // namespace restante::sip
