#include "core/base/network.h"

#include "core/base/text.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <memory>
#include <netinet/in.h>
#include <utility>

namespace restante {

namespace {
using Bytes = std::array<std::uint8_t, 16>;

constexpr unsigned kV4Offset = 96;  // ::ffff:0:0/96, where IPv4 lives inside IPv6
constexpr Bytes kV4Prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool isV4(const Bytes& bytes)
{
    return std::equal(kV4Prefix.begin(), kV4Prefix.begin() + kV4Offset / 8, bytes.begin());
}

/// Zeroes everything behind the first `prefix` bits.
Bytes masked(Bytes bytes, unsigned prefix)
{
    for (unsigned i = 0; i < bytes.size(); ++i) {
        const auto kept = std::clamp(static_cast<int>(prefix) - static_cast<int>(i * 8), 0, 8);
        bytes[i] &= static_cast<std::uint8_t>(0xff00U >> static_cast<unsigned>(kept));
    }
    return bytes;
}

constexpr std::array<std::pair<std::string_view, TrustedPeer::Transport>, 3> kTransportPrefixes{{
    {"udp:", TrustedPeer::Transport::Udp},
    {"tcp:", TrustedPeer::Transport::Tcp},
    {"tls:", TrustedPeer::Transport::Tls},
}};

/// A name needs a letter; otherwise a mistyped address would count as a name.
bool isDnsName(std::string_view text)
{
    return text.size() <= 253 && consistsOf(text, "-._") && text.front() != '.' &&
           std::ranges::any_of(text, [](char c) { return !isDigit(c) && isAlphanumeric(c); });
}

}  // namespace

std::optional<Bytes> addressBytes(std::string_view text) noexcept
{
    // inet_pton wants a terminated string; nothing longer than this is an address.
    std::array<char, INET6_ADDRSTRLEN> terminated{};
    if (text.size() >= terminated.size()) {
        return {};
    }
    std::copy(text.begin(), text.end(), terminated.begin());
    auto bytes = kV4Prefix;
    if (inet_pton(AF_INET, terminated.data(), bytes.data() + kV4Offset / 8) == 1 ||
        inet_pton(AF_INET6, terminated.data(), bytes.data()) == 1) {
        return bytes;
    }
    return {};
}

bool isAnyAddress(std::string_view address) noexcept
{
    const auto bytes = addressBytes(address);
    return bytes && (*bytes == Bytes{} || *bytes == kV4Prefix);
}

std::string customerNetworkOf(std::string_view address)
{
    const auto bytes = addressBytes(address);
    if (!bytes) {
        return std::string(address);
    }
    constexpr std::size_t kCustomerBytes = 8;  // a /64
    return {reinterpret_cast<const char*>(bytes->data()),
            isV4(*bytes) ? bytes->size() : kCustomerBytes};
}

Result<Network> Network::parse(std::string_view text)
{
    const auto refusal = [&] {
        return invalid("\"{}\" is not a network; write 10.0.0.0/8, 192.0.2.1 or fd00::/8", text);
    };
    const auto slash = text.find('/');
    const auto bytes = addressBytes(text.substr(0, slash));
    if (!bytes) {
        return refusal();
    }
    const unsigned offset =
        isV4(*bytes) && text.find(':') == std::string_view::npos ? kV4Offset : 0;
    Network network;
    if (slash != std::string_view::npos) {
        const auto prefix = wholeNumber<unsigned>(text.substr(slash + 1));
        if (!prefix || *prefix > 128 - offset) {
            return refusal();
        }
        network.prefix_ = *prefix + offset;
    }
    network.bytes_ = masked(*bytes, network.prefix_);
    return network;
}

std::string Network::toString() const
{
    const bool v4 = isV4(bytes_) && prefix_ >= kV4Offset;
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(v4 ? AF_INET : AF_INET6, bytes_.data() + (v4 ? kV4Offset / 8 : 0), text.data(),
              text.size());
    if (prefix_ == 128) {
        return text.data();
    }
    return fmt::format("{}/{}", text.data(), v4 ? prefix_ - kV4Offset : prefix_);
}

bool Network::contains(std::string_view address) const noexcept
{
    const auto bytes = addressBytes(address);
    return bytes && masked(*bytes, prefix_) == bytes_;
}

Network Network::allOfIpv4() noexcept
{
    Network network;
    network.bytes_ = kV4Prefix;
    network.prefix_ = kV4Offset;
    return network;
}

bool Network::covers(const Network& other) const noexcept
{
    return prefix_ <= other.prefix_ && masked(other.bytes_, prefix_) == bytes_;
}

Network Network::publicIpv6() noexcept
{
    Network network;
    network.bytes_[0] = 0x20;
    network.prefix_ = 3;
    return network;
}

bool Network::isEverybody() const noexcept
{
    return covers(allOfIpv4()) || covers(publicIpv6());
}

std::vector<Network> Network::coverFrom(const std::vector<Network>& networks) const
{
    std::vector<Network> within;
    for (const auto& network : networks) {
        if (network.covers(*this)) {
            return {network};
        }
        if (covers(network)) {
            within.push_back(network);
        }
    }
    if (within.empty()) {
        return {};
    }
    // What is within a network, but is not all of it, lies in one of its halves.
    auto lower = *this;
    ++lower.prefix_;
    auto upper = lower;
    auto& byte = upper.bytes_[prefix_ / 8];
    byte = static_cast<std::uint8_t>(byte | (0x80U >> (prefix_ % 8)));
    auto cover = lower.coverFrom(within);
    const auto rest = cover.empty() ? std::vector<Network>{} : upper.coverFrom(within);
    if (rest.empty()) {
        return {};
    }
    cover.insert(cover.end(), rest.begin(), rest.end());
    return cover;
}

Result<SocketAddress> SocketAddress::parse(std::string_view text)
{
    const auto colon = text.rfind(':');
    const auto port =
        wholeNumber<std::uint16_t>(colon == std::string_view::npos ? "" : text.substr(colon + 1));
    auto host = text.substr(0, colon);
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) {
        host = host.substr(1, host.size() - 2);
    }
    // An IPv6 address without brackets would make "::1:5060" mean two things.
    if (!port || !addressBytes(host) || bracketed != (host.find(':') != std::string_view::npos)) {
        return invalid("\"{}\" is not an address to listen on; write 127.0.0.1:5060 or [::1]:5060 "
                       "(port 0 = any free port)",
                       text);
    }
    return SocketAddress{std::string(host), *port};
}

std::string SocketAddress::toString() const
{
    return host.find(':') == std::string_view::npos ? fmt::format("{}:{}", host, port)
                                                    : fmt::format("[{}]:{}", host, port);
}

bool SocketAddress::isLoopback() const noexcept
{
    const auto bytes = addressBytes(host);
    static constexpr Bytes kV6Loopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    return bytes && (*bytes == kV6Loopback || (isV4(*bytes) && (*bytes)[12] == 127));
}

std::optional<std::string> addressText(const sockaddr& address)
{
    const int family = address.sa_family;
    const void* bytes = nullptr;
    if (family == AF_INET) {
        bytes = &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
    } else if (family == AF_INET6) {
        bytes = &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    }
    std::array<char, INET6_ADDRSTRLEN> text{};
    const bool isKnown =
        bytes != nullptr && inet_ntop(family, bytes, text.data(), text.size()) != nullptr;
    return isKnown ? std::optional<std::string>(text.data()) : std::nullopt;
}

std::vector<std::string> machineAddresses()
{
    std::vector<std::string> addresses;
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) {
        return addresses;
    }
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner{first, &::freeifaddrs};
    for (const auto* one = first; one != nullptr; one = one->ifa_next) {
        const auto text = one->ifa_addr == nullptr ? std::nullopt : addressText(*one->ifa_addr);
        if (text) {
            addresses.push_back(*text);
        }
    }
    return addresses;
}

Result<TrustedPeer> TrustedPeer::parse(std::string_view text)
{
    TrustedPeer peer;
    auto rest = text;
    for (const auto& [prefix, transport] : kTransportPrefixes) {
        if (rest.starts_with(prefix)) {
            peer.transport = transport;
            rest.remove_prefix(prefix.size());
            break;
        }
    }
    if (const auto network = Network::parse(rest)) {
        peer.network = *network;
        return peer;
    }
    auto name = lowered(rest);
    if (peer.transport != Transport::Tls || !isDnsName(name)) {
        return invalid("\"{}\" cannot be a trusted peer; write 192.0.2.1, 10.0.0.0/8, "
                       "tcp:192.0.2.10 or tls:proxy.example.org",
                       text);
    }
    if (name.ends_with('.')) {
        name.pop_back();  // the root's dot, which names in certificates do not have
    }
    peer.name = std::move(name);
    return peer;
}

std::string TrustedPeer::toString() const
{
    std::string_view prefix;
    for (const auto& [text, meaning] : kTransportPrefixes) {
        prefix = meaning == transport ? text : prefix;
    }
    return fmt::format("{}{}", prefix, network ? network->toString() : name);
}

}  // namespace restante
