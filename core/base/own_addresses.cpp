#include "core/base/own_addresses.h"

#include <algorithm>

namespace restante {

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
    if (const auto now = now_(); addresses_.empty() || now >= readAgain_) {
        std::vector<Network> found;
        for (const auto& text : read_()) {
            if (auto network = Network::parse(text)) {
                found.push_back(*network);
            }
        }
        if (!found.empty()) {
            addresses_ = std::move(found);
        }
        readAgain_ = now + kFresh;
    }
    return std::ranges::any_of(addresses_, contains);
}

std::shared_ptr<const OwnAddresses> OwnAddresses::ofMachine()
{
    static const auto kMachine = std::make_shared<const OwnAddresses>();
    return kMachine;
}

}  // namespace restante
