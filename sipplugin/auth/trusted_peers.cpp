#include "sipplugin/auth/trusted_peers.h"

#include <algorithm>

namespace restante::sip {

namespace {

bool cameOver(TrustedPeer::Over wanted, Transport transport) noexcept
{
    switch (wanted) {
    case TrustedPeer::Over::Any: return true;
    case TrustedPeer::Over::Udp: return transport == Transport::Udp;
    case TrustedPeer::Over::Tcp: return transport != Transport::Udp;
    case TrustedPeer::Over::Tls: break;
    }
    return transport == Transport::Tls;
}

bool isFrom(const TrustedPeer& peer, const ReceivedRequest& request) noexcept
{
    if (peer.network) {
        return peer.network->contains(request.sourceHost);
    }
    return std::ranges::find(request.certifiedNames, peer.name) != request.certifiedNames.end();
}

}  // namespace

Result<TrustedPeers> TrustedPeers::parse(const std::vector<std::string>& texts)
{
    TrustedPeers trusted;
    for (const auto& text : texts) {
        auto peer = TrustedPeer::parse(text);
        if (!peer) {
            return failure(ErrorCode::Invalid, "sip.trusted: " + peer.error().message);
        }
        trusted.peers_.push_back(std::move(*peer));
    }
    return trusted;
}

bool TrustedPeers::include(const ReceivedRequest& request) const noexcept
{
    return std::ranges::any_of(peers_, [&](const TrustedPeer& peer) {
        return cameOver(peer.over, request.transport) && isFrom(peer, request);
    });
}

}  // namespace restante::sip
