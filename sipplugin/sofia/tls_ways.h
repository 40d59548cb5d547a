#pragma once

#include "core/base/result.h"
#include "sipplugin/sofia/agent.h"
#include "sipplugin/sofia/host_lookup.h"

#include <functional>
#include <memory>
#include <string>

struct tport_s;

namespace restante::sip {

/// Finds or makes the TLS connection by which a request goes out. *One loop*, that of the agent,
/// which must outlive it.
class TlsWays {
public:
    /// sofia's connection, valid during the call, or why there is none.
    using Ready = std::function<void(const Result<tport_s*>&)>;

    explicit TlsWays(Agent& agent);

    /// Whether a request to this SIP URI must go over TLS.
    static bool needs(const std::string& nextHop);

    /// `connection` is the "address:port" of a peer whose TLS connection to us is used while it
    /// lives, or empty. Else one to `nextHop`, whose host the peer's certificate must name; its
    /// addresses are tried in turn. `ready` is called once, perhaps from inside the call, and not
    /// after this has gone.
    void open(const std::string& nextHop, const std::string& connection, Ready ready);

private:
    struct Search;

    void tryNext(const std::shared_ptr<Search>& search);
    /// sofia accepts the tunnel in one of the next turns of the loop.
    void await(std::uint16_t inside, int tries, Ready ready);

    Agent& agent_;
    HostLookup lookup_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace restante::sip
