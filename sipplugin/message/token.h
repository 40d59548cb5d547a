#pragma once

#include <algorithm>
#include <string_view>

namespace restante::sip {

/// Whether two tokens are the same: names of headers and parameters, option tags and the version
/// are compared without case, of ASCII letters alone (RFC 3261 section 7.3.1).
constexpr bool sameToken(std::string_view a, std::string_view b) noexcept
{
    constexpr auto kLower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    };
    return std::ranges::equal(a, b, {}, kLower, kLower);
}

}  // namespace restante::sip
