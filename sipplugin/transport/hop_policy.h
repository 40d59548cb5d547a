#pragma once

#include "core/base/address_policy.h"
#include "sipplugin/message/transport_address.h"

#include <fmt/format.h>

namespace restante::sip {

/// Who has named the next hop of a request, which decides how far it is trusted. *Value.*
struct HopOrigin {
    /// Named by the operator's configuration, or by a server named there: any address is allowed.
    bool configured = false;
    /// Otherwise the "address:port" of the peer that named it (in a Contact, a Path, a
    /// Record-Route), IPv6 in brackets; empty when unknown.
    std::string source = {};
};

/// Decides which addresses a request may be sent to, so that no registered user can make us contact
/// hosts that only we can reach. Applied after names were looked up, to each datagram and new
/// connection. Webhooks follow the same rules (AddressPolicy). *Value.*
class HopPolicy {
public:
    /// Allows everything: for a program whose user chooses the address.
    HopPolicy() = default;
    /// False when refusal() allows every address for `origin`.
    bool restricts(const HopOrigin& origin) const { return allowed_ && !origin.configured; }

    /// Allows what `allowed` allows (`sip.contacts.allow`), and the peer's own address.
    explicit HopPolicy(AddressPolicy allowed) : allowed_(std::move(allowed)) {}

    /// Why `address` (numeric, without brackets), found for `host` (as in the URI), is not allowed:
    /// "is a loopback address"; nothing = allowed. The peer's own address is allowed with any port,
    /// but on this machine only with the peer's own port.
    std::optional<std::string> refusal(const HopOrigin& origin,
                                       std::string_view host,
                                       std::string_view address,
                                       std::uint16_t port) const
    {
        if (!restricts(origin)) {
            return {};
        }
        const auto source = SocketAddress::parse(origin.source);
        const auto peer = source.and_then([](const auto& one) { return Network::parse(one.host); });
        if (peer && peer->contains(address) &&
            (source->port == port || !allowed_->isOwn(address))) {
            return {};
        }
        return allowed_->refusal(withoutBrackets(host), address);
    }

    /// The allowed ones of `addresses`, never empty; or Invalid.
    Result<std::vector<TransportAddress>>
    permitted(const HopOrigin& origin,
              std::string_view host,
              const std::vector<TransportAddress>& addresses) const
    {
        std::vector<TransportAddress> permitted;
        std::string why = "it has no address";
        for (const auto& address : addresses) {
            if (const auto refused = refusal(origin, host, address.host, address.port)) {
                why = fmt::format("{} {} (sip.contacts.allow)", address.host, *refused);
            } else {
                permitted.push_back(address);
            }
        }
        if (permitted.empty()) {
            return invalid(std::move(why));
        }
        return permitted;
    }

private:
    std::optional<AddressPolicy> allowed_;  ///< none = everything
};

}  // namespace restante::sip
