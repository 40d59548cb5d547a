#pragma once

#include "core/base/clock.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/local_domains.h"
#include "sipplugin/message/own_mark.h"
#include "sipplugin/message/sip_message_codec.h"
#include "sipplugin/message/sip_response_policy.h"
#include "sipplugin/outbound/delivery_route.h"
#include "sipplugin/outbound/login_sender.h"
#include "sipplugin/outbound/sip_request_text.h"
#include "sipplugin/registration/binding_store.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante::sip {

class LateDeliveries;

/// Puts messages on the wire and reports what came of them. A redirection is followed within our
/// domains; the best of several answers counts, and a success also when it comes late. *One loop*,
/// that of the agent. Borrows all it is given.
class SipCourier {
public:
    struct Parts {
        Agent& agent;
        BindingStore& bindings;  ///< where a redirection to one of our users leads
        const LocalDomains& domains;
        const Clock& clock;
        LateDeliveries* late = nullptr;  ///< none: what comes late is dropped
        const OwnMark* mark = nullptr;   ///< none: no request says whose delivery it is
    };
    struct Settings {
        std::vector<std::string> proxy;  ///< `sip.proxy`; redirections are followed through it
        ProxyLogin login = {};           ///< without one no challenge of the proxy is answered
        bool copies = false;             ///< `sip.devices` is "all": each device gets its own
        std::uint32_t redirects = 5;     ///< `sip.redirects`: as many 3xx are followed
    };
    using Answered = std::function<void(DeviceAnswer)>;

    SipCourier(Parts parts, Settings settings);
    SipCourier(const SipCourier&) = delete;
    SipCourier& operator=(const SipCourier&) = delete;
    ~SipCourier();

    /// Sends one MESSAGE; `answered` gets the final answer, or 408 after the agent's answerTimeout,
    /// exactly once and never from inside the call; not at all once the courier has gone. A message
    /// that cannot be written as SIP is answered 400 here, and one that is known to have been taken
    /// is answered 200.
    void send(WireMessage message, const DeliveryRoute& route, Answered answered);

    std::size_t underWay() const noexcept { return sender_.underWay(); }

private:
    struct Journey;
    using JourneyPtr = std::shared_ptr<Journey>;

    void depart(const JourneyPtr& journey, const DeliveryRoute& route);
    void arrive(const JourneyPtr& journey, const RequestSender::Response& response);
    void follow(const JourneyPtr& journey, const RequestSender::Response& response);
    void tryNext(const JourneyPtr& journey);
    void lookUp(const JourneyPtr& journey, const std::string& target);
    void end(const JourneyPtr& journey);
    bool isOurs(const SipUri& uri) const;
    RequestSender::Late lateOf(const JourneyPtr& journey) const;

    Parts parts_;
    Settings settings_;
    std::vector<std::string> proxyHosts_;
    LoginSender sender_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< for answers that outlive this
};

}  // namespace restante::sip
