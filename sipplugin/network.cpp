#include "sipplugin/network.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <fmt/format.h>

namespace restante::sip {

namespace {
constexpr unsigned kMappedBits = 96;  ///< the ::ffff: before an IPv4 address
}

bool Networks::read(std::string_view text, Bytes& bytes)
{
    const std::string address{text};
    if (inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1) {
        return true;
    }
    bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    return inet_pton(AF_INET, address.c_str(), bytes.data() + 12) == 1;
}

Result<Networks> Networks::parse(const std::vector<std::string>& texts)
{
    Networks all;
    for (const auto& text : texts) {
        const auto slash = text.find('/');
        const auto host = std::string_view{text}.substr(0, slash);
        const bool v4 = host.find(':') == std::string_view::npos;
        const unsigned widest = v4 ? 32 : 128;
        unsigned bits = widest;
        bool good = true;
        if (slash != std::string::npos) {
            const auto* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data() + slash + 1, end, bits);
            good = error == std::errc{} && stop == end && bits <= widest;
        }
        Network network;
        if (!good || !read(host, network.address)) {
            return failure(
                ErrorCode::Invalid,
                fmt::format("\"{}\" is no network; write an address with or without prefix length, "
                            "such as \"10.0.0.0/8\", \"192.0.2.7\" or \"2001:db8::/32\"",
                            text));
        }
        network.bits = v4 ? bits + kMappedBits : bits;
        all.networks_.push_back(network);
    }
    return all;
}

bool Networks::contains(std::string_view address) const
{
    Bytes bytes{};
    if (!read(address, bytes)) {
        return false;
    }
    return std::ranges::any_of(networks_, [&](const Network& network) {
        const auto whole = network.bits / 8;
        const auto rest = network.bits % 8;
        if (!std::equal(bytes.begin(), bytes.begin() + whole, network.address.begin())) {
            return false;
        }
        return rest == 0 || ((bytes[whole] ^ network.address[whole]) >> (8 - rest)) == 0;
    });
}

}  // namespace restante::sip
