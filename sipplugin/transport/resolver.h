#pragma once

#include "core/base/event_loop.h"
#include "sipplugin/message/listen_address.h"

#include <memory>

namespace restante::sip {

/// Where a SIP URI leads, before any look-up. *Value.*
struct NextHop {
    std::string host;                    ///< a name or an address literal, IPv6 without brackets
    std::uint16_t port = 0;              ///< 0 = none given
    std::optional<Transport> transport;  ///< nothing: the name's records decide, else UDP

    bool isAddress() const { return isAddressLiteral(host); }
};
/// The error says what is wrong with the URI, or that its transport is not spoken here.
Result<NextHop> nextHopOf(const std::string& uri);

/// Where the name servers of this machine stand, and where they listen. *Value.*
struct NameServerFile {
    std::string path = "/etc/resolv.conf";
    std::uint16_t port = 53;
};

/// Finds where a SIP server listens (RFC 3263): NAPTR, SRV (RFC 2782), A and AAAA, and /etc/hosts.
/// Never blocks the loop; keeps what it has found for half a minute, and follows changes of the
/// machine's configuration. *One loop.*
class Resolver {
public:
    /// In the order in which they are to be tried, never empty; or why there is none. Called once;
    /// from inside find() with what is known already, so that an address costs no turn of the loop.
    using Found = std::function<void(const Result<std::vector<ListenAddress>>&)>;

    /// `nameServers` are "address:port"; empty = those of `file`.
    explicit Resolver(EventLoop& loop,
                      const std::vector<std::string>& nameServers = {},
                      NameServerFile file = {});
    /// What is under way is forgotten.
    ~Resolver();

    void find(const NextHop& hop, bool withTls, Found found);
    /// It did not answer: for a while it is tried after the others.
    void noteFailed(const ListenAddress& address);
    /// Whether that while lasts.
    bool hasFailedLately(const ListenAddress& address) const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante::sip
