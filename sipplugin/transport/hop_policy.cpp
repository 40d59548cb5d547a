#include "sipplugin/transport/hop_policy.h"

#include <algorithm>
#include <fmt/format.h>

namespace restante::sip {

namespace {

bool isSame(std::string_view address, std::string_view other)
{
    const auto network = Network::parse(address);
    return network && network->contains(other);
}

std::string_view withoutBrackets(std::string_view host)
{
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    return bracketed ? host.substr(1, host.size() - 2) : host;
}

}  // namespace

HopPolicy::HopPolicy(delivery::AddressPolicy allowed, std::vector<std::string> ownAddresses)
    : allowed_(std::move(allowed)),
      own_{Network::parse("127.0.0.0/8").value(), Network::parse("::1").value()}
{
    for (const auto& text : ownAddresses) {
        if (const auto network = Network::parse(text)) {
            own_.push_back(*network);
        }
    }
}

bool HopPolicy::isOwn(std::string_view address) const
{
    return std::ranges::any_of(own_, [&](const Network& one) { return one.contains(address); });
}

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
    const bool own = isOwn(address);
    if (isPeer && (!own || source->port == port)) {
        return {};
    }
    if (auto why = allowed_->refusal(withoutBrackets(host), address)) {
        return why;
    }
    // Public, but what listens there may be meant for this machine only.
    if (own && !allowed_->names(withoutBrackets(host), address)) {
        return "is an address of this machine";
    }
    return {};
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
