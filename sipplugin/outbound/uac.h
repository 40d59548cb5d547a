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

/// One request of a delivery, for the job's history. *Value.*
struct AttemptRecord {
    std::uint32_t attempt = 1;
    TimePoint sent{};
    std::string target;    ///< the Request-URI
    std::string nextHop;   ///< where it was sent
    bool answered = true;  ///< false: no answer came, and the status was made here
};

/// "attempt 1: 2026-12-31T09:00:00.120Z sip:bob@10.0.0.7 480 Temporarily Unavailable (12 ms)" and a
/// line feed, at most 400 bytes; with ` via HOST:PORT` when it was sent to another host, and "(no
/// answer, ..." without an answer. A peer's text cannot break the line. *Pure function.*
std::string formatAttempt(const AttemptRecord& record, const DeviceAnswer& answer, Millis elapsed);

class LateDeliveries;

/// Sends messages and reports the answers. Follows redirections within our domains and to the hosts
/// of `sip.proxy`; the best of several answers counts, and a success also when it comes late. *One
/// loop*, that of the agent. Borrows all it is given.
class Uac {
public:
    struct Parts {
        Agent& agent;
        BindingStore& bindings;  ///< where a redirection to one of our users leads
        const LocalDomains& domains;
        const Clock& clock;
        LateDeliveries* lateDeliveries = nullptr;    ///< null: late answers are dropped
        const LoopDetector* loopDetector = nullptr;  ///< null: requests carry no kStoreHeader
    };
    struct Settings {
        std::vector<std::string> proxy;  ///< `sip.proxy`; redirections are followed through it
        ProxyCredentials login = {};     ///< without a user no challenge of the proxy is answered
        bool perDevice = false;          ///< `sip.devices` is "all": each device gets its own copy
        std::uint32_t redirects = 5;     ///< `sip.redirects`: the most 3xx that are followed
    };
    using AnswerHandler = std::function<void(DeviceAnswer)>;

    Uac(Parts parts, Settings settings);

    /// Sends one MESSAGE; `onAnswer` gets the final answer, or 408 after the agent's answerTimeout,
    /// once and never from inside the call; it is not called after this has been destroyed. A
    /// message that cannot be written as SIP is answered 400 here, one already taken 200.
    void send(OutgoingMessage message, const DeliveryRoute& route, AnswerHandler onAnswer);

    std::size_t inProgress() const noexcept { return sender_.inProgress(); }

private:
    struct Attempt;
    using AttemptPtr = std::shared_ptr<Attempt>;

    void sendRequest(const AttemptPtr& attempt, const DeliveryRoute& route);
    void handleResponse(const AttemptPtr& attempt, const RequestSender::Response& response);
    void queueRedirectTargets(const AttemptPtr& attempt, const RequestSender::Response& response);
    void tryNext(const AttemptPtr& attempt);
    void sendToBinding(const AttemptPtr& attempt, const std::string& target);
    void end(const AttemptPtr& attempt);
    bool mayBeRedirectedTo(const SipUri& uri) const;
    RequestSender::LateSuccessHandler lateSuccessHandlerOf(const AttemptPtr& attempt) const;

    Parts parts_;
    Settings settings_;
    std::vector<std::string> proxyHosts_;
    AuthenticatingSender sender_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
