#pragma once

#include "core/base/result.h"
#include "core/base/trusted_peer.h"
#include "sipplugin/message/received_request.h"

#include <vector>

namespace restante::sip {

/// Whose requests are believed: `sip.trusted`. *Value.*
class TrustedPeers {
public:
    TrustedPeers() = default;
    /// Reads what TrustedPeer::parse() reads. The error names the one that is wrong.
    static Result<TrustedPeers> parse(const std::vector<std::string>& texts);

    /// Whether one of them has sent it.
    bool include(const ReceivedRequest& request) const noexcept;

private:
    std::vector<TrustedPeer> peers_;
};

}  // namespace restante::sip
