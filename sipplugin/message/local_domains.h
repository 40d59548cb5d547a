#pragma once

#include "sipplugin/message/transport_address.h"

#include <string>
#include <unordered_set>

namespace restante::sip {

/// The hosts whose users are ours: `sip.domain`, localhost, the addresses we listen on and, for a
/// wildcard (0.0.0.0, ::), all addresses that this machine had at the start. *Value.*
class LocalDomains {
public:
    LocalDomains(const std::vector<std::string>& domains,
                 const std::vector<TransportAddress>& listening);

    /// `host` as parseSipUri() gives it: lower case, IPv6 in brackets.
    bool contains(std::string_view host) const { return hosts_.contains(std::string{host}); }

private:
    /// A name, or an address; IPv6 with or without brackets.
    void addHost(std::string_view host);

    std::unordered_set<std::string> hosts_;
};

}  // namespace restante::sip
