#include "sipplugin/transport/hop_policy.h"

#include "core/base/network.h"

#include <fmt/format.h>

namespace restante::sip {

namespace {

bool isSame(std::string_view address, std::string_view other)
{
    const auto network = Network::parse(address);
    return network && network->contains(other);
}

}  // namespace

std::optional<std::string> HopPolicy::refusal(const HopOrigin& origin,
                                              std::string_view host,
                                              std::string_view address,
                                              std::uint16_t port) const
{
    if (!restricts(origin)) {
        return {};
    }
    const auto source = SocketAddress::parse(origin.source);
    const bool isPeer = source && isSame(source->host, address);
    if (isPeer && (source->port == port || !allowed_->isOwn(address))) {
        return {};
    }
    return allowed_->refusal(withoutBrackets(host), address);
}

Result<std::vector<ListenAddress>>
HopPolicy::permitted(const HopOrigin& origin,
                     std::string_view host,
                     const std::vector<ListenAddress>& addresses) const
{
    std::vector<ListenAddress> permitted;
    std::string why = "it has no address";
    for (const auto& address : addresses) {
        if (const auto refused = refusal(origin, host, address.host, address.port)) {
            why = fmt::format("{} {} (sip.contacts.allow)", address.host, *refused);
        } else {
            permitted.push_back(address);
        }
    }
    if (permitted.empty()) {
        return failure(ErrorCode::Invalid, std::move(why));
    }
    return permitted;
}

}  // namespace restante::sip
