#include "core/base/address_policy.h"

#include "core/base/text.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <fmt/format.h>
#include <iterator>

namespace restante {

namespace {

struct SpecialNetwork {
    Network network;
    std::string_view description;
};

SpecialNetwork specialNetwork(std::string_view network, std::string_view description)
{
    return {Network::parse(network).value(), description};
}

/// The IANA IPv4 and IPv6 special-purpose address registries, and multicast. The first that
/// contains an address names it.
const std::vector<SpecialNetwork>& specialNetworks()
{
    static const std::vector<SpecialNetwork> all{
        specialNetwork("0.0.0.0/8", "an unspecified"),
        specialNetwork("10.0.0.0/8", "a private"),
        specialNetwork("100.64.0.0/10", "a carrier's shared"),
        specialNetwork("127.0.0.0/8", "a loopback"),
        specialNetwork("169.254.0.0/16", "a link-local"),
        specialNetwork("172.16.0.0/12", "a private"),
        specialNetwork("192.0.0.0/24", "a reserved"),
        specialNetwork("192.0.2.0/24", "a documentation"),
        specialNetwork("192.88.99.0/24", "a reserved"),
        specialNetwork("192.168.0.0/16", "a private"),
        specialNetwork("198.18.0.0/15", "a benchmarking"),
        specialNetwork("198.51.100.0/24", "a documentation"),
        specialNetwork("203.0.113.0/24", "a documentation"),
        specialNetwork("224.0.0.0/4", "a multicast"),
        specialNetwork("240.0.0.0/4", "a reserved"),
        specialNetwork("::/128", "an unspecified"),
        specialNetwork("::1/128", "a loopback"),
        specialNetwork("64:ff9b:1::/48", "a private"),  // NAT64 of a site's own
        specialNetwork("100::/64", "a reserved"),       // goes nowhere
        specialNetwork("2001:db8::/32", "a documentation"),
        specialNetwork("2001::/23", "a reserved"),  // Teredo and other tunnels
        specialNetwork("3fff::/20", "a documentation"),
        specialNetwork("fc00::/7", "a private"),
        specialNetwork("fe80::/10", "a link-local"),
        specialNetwork("fec0::/10", "a private"),
        specialNetwork("ff00::/8", "a multicast"),
    };
    return all;
}

/// An IPv6 network whose addresses contain the IPv4 address to which their packets go.
struct Ipv4Carrier {
    Network network;
    std::size_t offset;  ///< where the four bytes begin
};

const std::vector<Ipv4Carrier>& ipv4Carriers()
{
    static const std::vector<Ipv4Carrier> all{
        {Network::parse("64:ff9b::/96").value(), 12},  // NAT64, RFC 6052
        {Network::parse("::/96").value(), 12},         // compatible, RFC 4291 2.5.5.1
        {Network::parse("2002::/16").value(), 2},      // 6to4, RFC 3056
    };
    return all;
}

/// In lower case and without a trailing dot.
std::string normalizedHost(std::string_view text)
{
    return lowered(text.substr(0, text.size() - (text.ends_with('.') ? 1 : 0)));
}

/// The IPv4 address inside, as text; none when there is none.
std::optional<std::string> embeddedIpv4(std::string_view address)
{
    const auto bytes = addressBytes(address);
    for (const auto& carrier : ipv4Carriers()) {
        if (bytes && carrier.network.contains(address)) {
            std::array<char, INET_ADDRSTRLEN> text{};
            inet_ntop(AF_INET, bytes->data() + carrier.offset, text.data(), text.size());
            return text.data();
        }
    }
    return {};
}

}  // namespace

std::optional<std::string_view> specialPurposeOf(std::string_view address) noexcept
{
    for (const auto& special : specialNetworks()) {
        if (special.network.contains(address)) {
            return special.description;
        }
    }
    if (!addressBytes(address)) {
        return "not an";
    }
    static const auto kMappedIpv4 = Network::parse("::ffff:0:0/96").value();
    if (kMappedIpv4.contains(address)) {
        return {};
    }
    if (const auto embedded = embeddedIpv4(address)) {
        return specialPurposeOf(*embedded);
    }
    // Only 2000::/3 of the remaining addresses has been allocated (RFC 3587 section 3).
    static const auto kGlobal = Network::parse("2000::/3").value();
    return kGlobal.contains(address) ? std::nullopt : std::optional<std::string_view>{"a reserved"};
}

Result<AddressPolicy> AddressPolicy::allowing(const std::vector<std::string>& words,
                                              std::shared_ptr<const OwnAddresses> own)
{
    AddressPolicy policy;
    policy.ownAddresses_ = std::move(own);
    for (const auto& word : words) {
        if (const auto network = networkOf(word)) {
            policy.networks_.push_back(*network);
        } else if (auto host = normalizedHost(word); consistsOf(host, ".-_")) {
            policy.hosts_.push_back(std::move(host));
        } else {
            return invalid("\"{}\" is neither a network nor a host; write 10.0.0.0/8, 192.0.2.1 or "
                           "hooks.example.org",
                           word);
        }
    }
    return policy;
}

std::optional<Network> AddressPolicy::networkOf(std::string_view word)
{
    if (word.size() > 2 && word.front() == '[' && word.back() == ']') {
        word = word.substr(1, word.size() - 2);
    }
    const auto network = Network::parse(word);
    return network ? std::optional(*network) : std::nullopt;
}

AddressPolicy AddressPolicy::everything()
{
    AddressPolicy policy;
    policy.allowsEverything_ = true;
    return policy;
}

bool AddressPolicy::names(std::string_view host, std::string_view address) const
{
    const auto contains = [&](const Network& network) { return network.contains(address); };
    return allowsEverything_ || std::ranges::any_of(networks_, contains) ||
           std::ranges::find(hosts_, normalizedHost(host)) != hosts_.end();
}

std::optional<std::string> AddressPolicy::refusal(std::string_view host,
                                                  std::string_view address) const
{
    if (names(host, address)) {
        return {};
    }
    if (const auto description = specialPurposeOf(address)) {
        return fmt::format("is {} address", *description);
    }
    return isOwn(address) ? std::optional<std::string>{"is an address of this machine"}
                          : std::nullopt;
}

std::vector<std::string>
AddressPolicy::refusedPublicAddresses(const std::vector<std::string>& addresses) const
{
    std::vector<std::string> refused;
    std::copy_if(addresses.begin(), addresses.end(), std::back_inserter(refused),
                 [this](const std::string& address) {
                     return !specialPurposeOf(address) && refusal(address, address);
                 });
    return refused;
}

bool AddressPolicy::isOwn(std::string_view address) const
{
    if (ownAddresses_->contains(address)) {
        return true;
    }
    const auto embedded = embeddedIpv4(address);
    return embedded && ownAddresses_->contains(*embedded);
}

OwnAddresses::OwnAddresses(Read read, Now now) : read_(std::move(read)), now_(std::move(now)) {}

bool OwnAddresses::contains(std::string_view address) const
{
    static const std::vector<Network> kLoopback{Network::parse("127.0.0.0/8").value(),
                                                Network::parse("::1").value()};
    const auto contains = [&](const Network& one) { return one.contains(address); };
    if (std::ranges::any_of(kLoopback, contains)) {
        return true;
    }
    const std::lock_guard lock(mutex_);
    if (const auto now = now_(); addresses_.empty() || now >= nextReadTime_) {
        std::vector<Network> readAddresses;
        for (const auto& text : read_()) {
            if (auto network = Network::parse(text)) {
                readAddresses.push_back(*network);
            }
        }
        if (!readAddresses.empty()) {
            addresses_ = std::move(readAddresses);
        }
        nextReadTime_ = now + kReadInterval;
    }
    return std::ranges::any_of(addresses_, contains);
}

std::shared_ptr<const OwnAddresses> OwnAddresses::ofMachine()
{
    static const auto kMachine = std::make_shared<const OwnAddresses>();
    return kMachine;
}

}  // namespace restante
