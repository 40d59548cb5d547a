#pragma once

#include "core/base/event_loop.h"
#include "sipplugin/message/transport_address.h"

#include <memory>

namespace restante::sip {

/// The host, port and transport of a SIP URI, before any look-up. *Value.*
struct NextHop {
    std::string host;                    ///< a name or an address literal, IPv6 without brackets
    std::uint16_t port = 0;              ///< 0 = none given
    std::optional<Transport> transport;  ///< nothing: the name's records decide, else UDP

    bool isAddress() const { return isAddressLiteral(host); }
};
/// The error says what is wrong with the URI, or that its transport is not supported.
Result<NextHop> nextHopOf(const std::string& uri);

/// The file that lists the machine's name servers, and their port. *Value.*
struct NameServerFile {
    std::string path = "/etc/resolv.conf";
    std::uint16_t port = 53;
};

/// Finds where a SIP server listens (RFC 3263): NAPTR, SRV (RFC 2782), A and AAAA, and /etc/hosts.
/// Never blocks the loop; keeps what it has found for half a minute, and follows changes of the
/// machine's configuration. *One loop.*
class Resolver {
public:
    /// Gets the addresses in the order to try them, never empty; or why there is none. Called once;
    /// from inside find() with a cached result or for an address literal.
    using ResultHandler = std::function<void(const Result<std::vector<TransportAddress>>&)>;

    /// `nameServers` are "address:port"; empty = those of `file`.
    explicit Resolver(EventLoop& loop,
                      const std::vector<std::string>& nameServers = {},
                      NameServerFile file = {});
    /// Drops pending look-ups: their handlers are not called.
    ~Resolver();

    void find(const NextHop& hop, bool withTls, ResultHandler onResult);
    /// Remembers for a while that it did not answer: it is then tried after the others.
    void recordFailure(const TransportAddress& address);
    /// Whether it is still remembered by recordFailure().
    bool hasFailedLately(const TransportAddress& address) const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante::sip
