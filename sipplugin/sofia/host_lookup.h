#pragma once

#include "core/base/result.h"
#include "sipplugin/sip_settings.h"
#include "sipplugin/sofia/su_loop.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante::sip {

/// Finds where a SIP server over TLS listens (RFC 3263, without NAPTR): an address is itself, a
/// name with a port its addresses, a name alone what the SRV records of `_sips._tcp` name, else its
/// addresses with port 5061. Names are looked up as everywhere on this machine, /etc/hosts
/// included, and never block the loop. *One loop.*
class HostLookup {
public:
    /// In the order in which they are to be tried, never empty; or why there is none.
    using Found = std::function<void(const Result<std::vector<ListenAddress>>&)>;

    explicit HostLookup(SuLoop& loop);
    HostLookup(const HostLookup&) = delete;
    HostLookup& operator=(const HostLookup&) = delete;
    /// What is under way is forgotten.
    ~HostLookup();

    /// `host` is that of a URI, IPv6 in brackets; port 0 = none given. `found` is called once,
    /// perhaps from inside the call.
    void find(const std::string& host, std::uint16_t port, Found found);

private:
    class Impl;
    std::shared_ptr<Impl> impl_;  ///< shared with the look-ups under way
};

}  // namespace restante::sip
