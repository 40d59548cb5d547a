#pragma once

#include "core/base/callback_guard.h"
#include "core/queue/job_inspector.h"
#include "sipplugin/outbound/authenticating_sender.h"
#include "sipplugin/regevent/regevent_subscriptions.h"
#include "sipplugin/transport/agent.h"
#include "sipplugin/transport/resolver.h"

namespace restante::sip {

/// RegEventSubscriptions on the agent's sockets and loop. Borrows all. *One loop.*
class RegEventSubscriber {
public:
    struct Settings {
        std::string server;      ///< `sip.regevent`, a SIP URI
        std::string ownAddress;  ///< the address of record that subscribes
        std::size_t most = 10'000;
        /// Credentials, for the server when it is one of `proxy`, `sip.proxy`, and nobody else.
        std::vector<std::string> proxy = {};
        ProxyCredentials login = {};
    };
    RegEventSubscriber(Agent& agent,
                       JobInspector& inspector,
                       const Clock& clock,
                       Settings settings,
                       std::function<void(const std::string&)> reachable);

    /// Subscribes for everybody for whom messages wait: a predecessor's subscriptions are lost.
    void resume() { resumeFrom({}); }
    /// A run over a mailbox has ended.
    void runEnded(const std::string& aor, bool unreachable);
    void handle(const ReceivedRequest& notify, Respond done)
    {
        done(subscriptions_.handleNotify(notify));
    }

private:
    RegEventSubscriptions::Callbacks callbacks(const Clock& clock,
                                               std::function<void(const std::string&)> reachable);
    std::string nextHopOf(const SubscribeRequest& request) const;
    void send(const SubscribeRequest& request, RequestSender::Answered answered);
    void sendFrom(const SubscribeRequest& request, RequestSender::Answered answered);
    void findWhetherAnyWaits(const std::string& aor, std::function<void(bool)> told);
    void resumeFrom(std::string cursor);

    Agent& agent_;
    JobInspector& inspector_;
    Settings settings_;
    std::string contact_;  ///< contactFor() of the server
    Resolver resolver_;    ///< of names, when the contact depends on where they lead
    AuthenticatingSender sender_;
    RegEventSubscriptions subscriptions_;
    CallbackGuard callbackGuard_;
};

/// Where `server`, a SIP URI, reaches us: a socket of its transport; of a wildcard the address that
/// the way to it leads from, or empty when a name would have to be looked up. Invalid when we
/// listen on no such transport or there is no way to the server's address.
Result<std::string> contactFor(const std::string& server,
                               const std::vector<ListenAddress>& listening);

}  // namespace restante::sip
