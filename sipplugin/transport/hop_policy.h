#pragma once

#include "core/base/address_policy.h"
#include "sipplugin/message/listen_address.h"

#include <fmt/format.h>

namespace restante::sip {

/// Who has named the next hop of a request, and with that how far it is believed. *Value.*
struct HopOrigin {
    /// The operator's configuration, or a server that it names: any address will do.
    bool configured = false;
    /// Else the "address:port" that the peer who named it (in a Contact, a Path, a Record-Route)
    /// has sent from, IPv6 in brackets; empty when that is not known.
    std::string source = {};
};

/// Which addresses a request may be sent to, so that nobody who may register can make us talk to
/// what only we can reach: asked after names were looked up, for each datagram and new connection.
/// Webhooks follow the same rules (AddressPolicy). *Value.*
class HopPolicy {
public:
    /// Everything: for a program that sends only where its user tells it to.
    HopPolicy() = default;
    /// False when refusal() refuses nothing that `origin` names.
    bool restricts(const HopOrigin& origin) const { return allowed_ && !origin.configured; }

    /// What `allowed` allows (`sip.contacts.allow`), and where the peer itself is.
    explicit HopPolicy(AddressPolicy allowed) : allowed_(std::move(allowed)) {}

    /// What speaks against `address` (numeric, without brackets), found for `host` (as the URI has
    /// it): "is a loopback address"; none = it may be sent to. The peer's own address will do with
    /// any port, but on this machine only with the one that the peer has sent from.
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

    /// Those of `addresses` that may be sent to, never empty; or Invalid.
    Result<std::vector<ListenAddress>> permitted(const HopOrigin& origin,
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
            return invalid(std::move(why));
        }
        return permitted;
    }

private:
    std::optional<AddressPolicy> allowed_;  ///< none = everything
};

}  // namespace restante::sip
