#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace restante::sip {

/// Appends a number in network byte order.
template <class Number>
void addNumber(std::string& out, Number value)
{
    for (std::size_t left = sizeof value; left > 0; --left) {
        out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * (left - 1)));
    }
}

/// The 4 or 16 bytes of an address literal; those of 0.0.0.0 for anything else.
std::string addressBytes(const std::string& host);

/// The same in 16 bytes, IPv4 as ::ffff:a.b.c.d.
std::string asIpv6(const std::string& bytes);

}  // namespace restante::sip
