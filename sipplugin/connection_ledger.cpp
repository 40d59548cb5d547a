#include "sipplugin/connection_ledger.h"

#include <algorithm>
#include <string_view>

namespace restante::sip {

namespace {

template <class Bytes>
std::size_t hashOf(const Bytes& bytes) noexcept
{
    return std::hash<std::string_view>{}(
        {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

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

std::size_t ConnectionLedger::Hash::operator()(const PeerAddress& peer) const noexcept
{
    return hashOf(peer.host) ^ (std::size_t{peer.port} * 0x9e3779b97f4a7c15U);
}

std::size_t
ConnectionLedger::HostHash::operator()(const std::array<std::uint8_t, 16>& host) const noexcept
{
    return hashOf(host);
}

void ConnectionLedger::completed(const PeerAddress& peer, Instant now)
{
    if (const auto found = known_.find(peer); found != known_.end()) {
        found->second.completed = now;
    }
}

std::uint32_t ConnectionLedger::countOf(const PeerAddress& peer, const Hosts& hosts) const
{
    const auto found = hosts.find(peer.owner());
    return found == hosts.end() ? 0 : found->second;
}

std::optional<ConnectionLedger::Reason> ConnectionLedger::refusalOf(const PeerAddress& peer,
                                                                    const Hosts& hosts) const
{
    if (known_.size() >= limits_.inAll) {
        return Reason::TooManyInAll;
    }
    if (!peer.isOwnMachine() && countOf(peer, hosts) >= limits_.perAddress) {
        return Reason::TooManyOfItsAddress;
    }
    return std::nullopt;
}

std::vector<ConnectionLedger::Verdict> ConnectionLedger::admit(const std::vector<Sighting>& seen)
{
    ++round_;
    Hosts hosts;
    for (const auto& one : seen) {
        if (const auto found = known_.find(one.peer); found != known_.end()) {
            found->second.round = round_;
            ++hosts[one.peer.owner()];
        }
    }
    std::erase_if(known_, [this](const auto& entry) { return entry.second.round != round_; });
    std::vector<Verdict> verdicts;
    for (const auto& one : seen) {
        if (known_.contains(one.peer)) {
            continue;
        }
        if (const auto reason = refusalOf(one.peer, hosts)) {
            verdicts.push_back({one.fd, one.peer, *reason});
            continue;
        }
        known_[one.peer].round = round_;
        ++hosts[one.peer.owner()];
    }
    return verdicts;
}

std::vector<ConnectionLedger::Verdict> ConnectionLedger::judge(const std::vector<Sighting>& seen,
                                                               Instant now)
{
    std::vector<Verdict> verdicts;
    for (const auto& one : seen) {
        const auto found = known_.find(one.peer);
        if (found == known_.end()) {
            continue;
        }
        auto& connection = found->second;
        if (one.bytes == connection.bytes) {
            connection.flowingSince.reset();
        } else if (!connection.flowingSince) {
            // It may have begun right after the last look.
            connection.flowingSince = connection.judged == Instant{} ? now : connection.judged;
        }
        connection.bytes = one.bytes;
        connection.judged = now;
        if (connection.flowingSince &&
            now - std::max(*connection.flowingSince, connection.completed) > limits_.messageTime) {
            verdicts.push_back({one.fd, one.peer, Reason::TooSlow});
        }
    }
    return verdicts;
}

}  // namespace restante::sip
