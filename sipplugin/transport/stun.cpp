#include "sipplugin/transport/stun.h"

#include <cstddef>
#include <netinet/in.h>

namespace restante::sip {

namespace {

constexpr std::size_t kHeader = 20;
constexpr std::string_view kBindingRequest{"\x00\x01", 2};
constexpr std::string_view kBindingSuccess{"\x01\x01", 2};
constexpr std::string_view kCookie{"\x21\x12\xa4\x42", 4};
constexpr std::string_view kXorMappedAddress{"\x00\x20", 2};

std::string number16(std::size_t value)
{
    return {static_cast<char>(value >> 8U), static_cast<char>(value & 0xffU)};
}

std::string xored(std::string_view bytes, std::string_view key)
{
    std::string out{bytes};
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<char>(out[i] ^ key[i]);
    }
    return out;
}

}  // namespace

std::optional<std::string> stunAnswer(std::string_view datagram, const SocketName& source)
{
    if (datagram.size() < kHeader || !datagram.starts_with(kBindingRequest) ||
        datagram.substr(4, 4) != kCookie) {
        return std::nullopt;
    }
    const bool v6 = source.family() == AF_INET6;
    const auto* six = reinterpret_cast<const sockaddr_in6*>(&source.storage);
    const auto* four = reinterpret_cast<const sockaddr_in*>(&source.storage);
    const auto port = ntohs(v6 ? six->sin6_port : four->sin_port);
    const std::string_view address =
        v6 ? std::string_view{reinterpret_cast<const char*>(&six->sin6_addr), 16}
           : std::string_view{reinterpret_cast<const char*>(&four->sin_addr), 4};
    const auto key = datagram.substr(4, 16);  // the cookie and the transaction
    const auto value =
        std::string{'\0', v6 ? '\x02' : '\x01'} + xored(number16(port), key) + xored(address, key);
    return std::string{kBindingSuccess} + number16(value.size() + 4) + std::string{key} +
           std::string{kXorMappedAddress} + number16(value.size()) + value;
}

}  // namespace restante::sip
