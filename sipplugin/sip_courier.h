#pragma once

#include "sipplugin/auth/login_sender.h"
#include "sipplugin/delivery_route.h"
#include "sipplugin/sip_message_codec.h"
#include "sipplugin/sip_response_policy.h"
#include "sipplugin/sofia/request_sender.h"

#include <cstddef>
#include <functional>
#include <string>

namespace restante::sip {

/// Puts messages on the wire and reports what came of them: one client transaction each. *One
/// loop*, that of the agent, which must outlive it.
class SipCourier {
public:
    using Answered = std::function<void(DeviceAnswer)>;

    /// Without a login no challenge of `proxy` is answered.
    explicit SipCourier(Agent& agent, std::string proxy = {}, ProxyLogin login = {});

    /// Sends one MESSAGE; `answered` gets the final answer, or 408 after the agent's answerTimeout,
    /// exactly once and never from inside the call; not at all once the courier has gone. A message
    /// that cannot be written as SIP is answered 400 here.
    void send(const WireMessage& message, const DeliveryRoute& route, Answered answered);

    std::size_t underWay() const noexcept { return sender_.underWay(); }

private:
    LoginSender sender_;
};

/// The request as it goes out, but for the Via that the agent adds. Invalid when a field holds a
/// line break or a NUL. *Pure function.*
Result<std::string> printRequest(const WireMessage& message, const DeliveryRoute& route);

}  // namespace restante::sip
