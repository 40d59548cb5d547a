#pragma once

#include "core/base/callback_guard.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/local_domains.h"
#include "sipplugin/message/loop_detector.h"
#include "sipplugin/message/sip_message_codec.h"
#include "sipplugin/outbound/authenticating_sender.h"
#include "sipplugin/outbound/delivery_route.h"
#include "sipplugin/registration/binding_store.h"

namespace restante::sip {

/// One request of a delivery, as it is told in the job's history. *Value.*
struct AttemptRecord {
    std::uint32_t attempt = 1;
    TimePoint sent{};
    std::string target;    ///< the Request-URI
    std::string nextHop;   ///< where it went
    bool answered = true;  ///< false: nobody did, and the status was made here
};

/// "attempt 1: 2026-12-31T09:00:00.120Z sip:bob@10.0.0.7 480 Temporarily Unavailable (12 ms)" and a
/// line feed, at most 400 bytes; with ` via HOST:PORT` when it went elsewhere, and "(no answer,
/// ...". What a peer wrote cannot break the line. *Pure function.*
std::string printAttempt(const AttemptRecord& record, const DeviceAnswer& answer, Millis took);

class LateDeliveries;

/// Puts messages on the wire and reports what came of them. A redirection is followed within our
/// domains; the best of several answers counts, and a success also when it comes late. *One loop*,
/// that of the agent. Borrows all it is given.
class Uac {
public:
    struct Parts {
        Agent& agent;
        BindingStore& bindings;  ///< where a redirection to one of our users leads
        const LocalDomains& domains;
        const Clock& clock;
        LateDeliveries* late = nullptr;              ///< none: what comes late is dropped
        const LoopDetector* loopDetector = nullptr;  ///< none: no request says whose delivery it is
    };
    struct Settings {
        std::vector<std::string> proxy;  ///< `sip.proxy`; redirections are followed through it
        ProxyCredentials login = {};     ///< without one no challenge of the proxy is answered
        bool perDevice = false;          ///< `sip.devices` is "all": each device gets its own
        std::uint32_t redirects = 5;     ///< `sip.redirects`: as many 3xx are followed
    };
    using Answered = std::function<void(DeviceAnswer)>;

    Uac(Parts parts, Settings settings);

    /// Sends one MESSAGE; `answered` gets the final answer, or 408 after the agent's answerTimeout,
    /// once and never from inside the call; not at all once this has gone. One that cannot be
    /// written as SIP is answered 400 here, one that is known to be taken 200.
    void send(OutgoingMessage message, const DeliveryRoute& route, Answered answered);

    std::size_t underWay() const noexcept { return sender_.underWay(); }

private:
    struct Attempt;
    using AttemptPtr = std::shared_ptr<Attempt>;

    void sendRequest(const AttemptPtr& attempt, const DeliveryRoute& route);
    void handleResponse(const AttemptPtr& attempt, const RequestSender::Response& response);
    void followRedirection(const AttemptPtr& attempt, const RequestSender::Response& response);
    void tryNext(const AttemptPtr& attempt);
    void lookUp(const AttemptPtr& attempt, const std::string& target);
    void end(const AttemptPtr& attempt);
    bool isLocalDomain(const SipUri& uri) const;
    RequestSender::Late lateOf(const AttemptPtr& attempt) const;

    Parts parts_;
    Settings settings_;
    std::vector<std::string> proxyHosts_;
    AuthenticatingSender sender_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
