#pragma once

#include "core/base/callback_guard.h"
#include "core/queue/job_inspector.h"
#include "sipplugin/outbound/authenticating_sender.h"
#include "sipplugin/regevent/regevent_subscriptions.h"
#include "sipplugin/transport/agent.h"
#include "sipplugin/transport/resolver.h"

namespace restante::sip {

/// Runs RegEventSubscriptions on the agent's sockets and loop. Borrows all. *One loop.*
class RegEventSubscriber {
public:
    struct Settings {
        std::string server;      ///< `sip.regevent`, a SIP URI
        std::string ownAddress;  ///< the address of record that subscribes
        std::size_t maxSubscriptions = 10'000;
        /// The credentials `login` are used only if the server is one of `proxy` (`sip.proxy`).
        std::vector<std::string> proxy = {};
        ProxyCredentials login = {};
    };
    RegEventSubscriber(Agent& agent,
                       JobInspector& inspector,
                       const Clock& clock,
                       Settings settings,
                       std::function<void(const std::string&)> onReachable);

    /// Subscribes for all recipients of held messages: subscriptions are lost in a restart.
    void resume() { resumeFrom({}); }
    /// To be called when a delivery run has ended.
    void handleRunEnd(const std::string& aor, bool isPostponed);
    void handle(const ReceivedRequest& notify, Respond done)
    {
        done(subscriptions_.handleNotify(notify));
    }

private:
    RegEventSubscriptions::Environment
    environment(const Clock& clock, std::function<void(const std::string&)> onReachable);
    std::string nextHopUriOf(const SubscribeRequest& request) const;
    /// Looks the server up first where only its address tells our contact.
    void findContactThenSend(const SubscribeRequest& request,
                             RequestSender::AnswerHandler onAnswer);
    void send(const SubscribeRequest& request, RequestSender::AnswerHandler onAnswer);
    void findWhetherAnyWaits(const std::string& aor, std::function<void(bool)> done);
    void resumeFrom(std::string cursor);

    Agent& agent_;
    JobInspector& inspector_;
    Settings settings_;
    std::string contact_;  ///< contactFor() of the server; empty = found anew for each request
    Resolver resolver_;    ///< of the server, where contact_ is empty
    AuthenticatingSender sender_;
    RegEventSubscriptions subscriptions_;
    CallbackGuard callbackGuard_;
};

/// The URI by which `server`, a SIP URI, reaches us: a socket of its transport; for a wildcard the
/// address that routing picks, or empty when the server's name must be looked up first. Invalid
/// when we listen on no such transport or there is no route to the server's address.
Result<std::string> contactFor(const std::string& server,
                               const std::vector<TransportAddress>& listening);

}  // namespace restante::sip
