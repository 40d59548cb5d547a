#pragma once

#include "core/base/callback_guard.h"
#include "core/job/job.h"
#include "core/job/job_id.h"
#include "sipplugin/message/log_rate_limiter.h"
#include "sipplugin/message/received_request.h"
#include "sipplugin/outbound/uac.h"
#include "sipplugin/registration/binding_store.h"

namespace restante::sip {

/// Delivers messages that are never stored (isComposing, `Expires: 0`), once. A port. *One loop.*
class TransientForwarder {
public:
    virtual ~TransientForwarder() = default;

    /// `done` gets the device's final answer, 480 when the recipient has no binding or the device
    /// redirects, or answerTo() a failure of the store; exactly once and never from inside the
    /// call. The sender's transaction times out after 32 s.
    virtual void forward(Job message, std::function<void(SipAnswer)> done) = 0;
};

/// Makes one attempt, to the first device or through the proxy. Borrows all. *One loop.*
class DeviceForwarder final : public TransientForwarder {
public:
    struct Settings {
        std::vector<std::string> proxy;  ///< `sip.proxy`; empty = to the device directly
        std::string ownAddress;          ///< From of a message whose sender cannot be used
    };

    DeviceForwarder(BindingStore& bindings, Uac& uac, const Clock& clock, Settings settings)
        : bindings_(bindings),
          uac_(uac),
          settings_(std::move(settings)),
          ids_(clock),
          logLimiter_(clock)
    {
    }

    void forward(Job message, std::function<void(SipAnswer)> done) override;

private:
    using AnswerHandler = std::function<void(SipAnswer)>;
    void send(const Job& message, const DeliveryRoute& route, AnswerHandler done);

    BindingStore& bindings_;
    Uac& uac_;
    Settings settings_;
    JobIdGenerator ids_;
    LogRateLimiter logLimiter_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
