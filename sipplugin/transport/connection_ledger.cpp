#include "sipplugin/transport/connection_ledger.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace restante::sip {

bool PeerAddress::isOwnMachine() const noexcept
{
    constexpr std::array<std::uint8_t, 16> kIpv6{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    constexpr std::array<std::uint8_t, 16> kIpv4{0, 0, 0,    0,    0,   0, 0, 0,
                                                 0, 0, 0xff, 0xff, 127, 0, 0, 1};
    return host == kIpv6 || host == kIpv4;
}

std::array<std::uint8_t, 16> PeerAddress::owner() const noexcept
{
    constexpr std::array<std::uint8_t, 12> kIpv4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    auto network = host;
    if (!std::equal(kIpv4.begin(), kIpv4.end(), host.begin())) {
        std::fill(network.begin() + 8, network.end(), std::uint8_t{0});
    }
    return network;
}

std::size_t ConnectionLedger::OwnerHash::operator()(const Owner& owner) const noexcept
{
    return std::hash<std::string_view>{}(
        {reinterpret_cast<const char*>(owner.data()), owner.size()});
}

std::optional<ConnectionLedger::Refusal> ConnectionLedger::admit(const PeerAddress& peer)
{
    if (count_ >= limits_.inAll) {
        return Refusal::TooManyInAll;
    }
    if (!peer.isOwnMachine()) {
        auto& ofOwner = owners_[peer.owner()];
        if (ofOwner >= limits_.perAddress) {
            return Refusal::TooManyOfItsAddress;
        }
        ++ofOwner;
    }
    ++count_;
    return std::nullopt;
}

void ConnectionLedger::left(const PeerAddress& peer)
{
    --count_;
    const auto found = owners_.find(peer.owner());
    if (!peer.isOwnMachine() && found != owners_.end() && --found->second == 0) {
        owners_.erase(found);
    }
}

}  // namespace restante::sip
