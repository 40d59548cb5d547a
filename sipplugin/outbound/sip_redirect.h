#pragma once

#include "sipplugin/message/aor.h"

#include <cstddef>
#include <functional>
#include <string>

namespace restante::sip {

/// Where a redirection leads. *Value.*
struct Redirection {
    std::vector<std::string> targets;  ///< SIP URIs without headers, the best first
    std::size_t foreign = 0;           ///< contacts that are nobody's of ours: left out
};

/// Reads the Contacts of a 300, 301 or 302 (RFC 3261 section 8.1.3.4), by `q`, then as written. Any
/// other status leads nowhere: a 305 would let a device choose our proxy. What `ours` does not know
/// is left out, or a device could send messages of others anywhere. *Pure function.*
Redirection redirectionOf(int status,
                          const std::vector<std::string>& contacts,
                          const std::function<bool(const SipUri&)>& ours);

/// Equal for URIs that lead to the same place, so that no place is tried twice: user, host and
/// port. *Pure function.*
std::string placeOf(const SipUri& uri);

}  // namespace restante::sip
