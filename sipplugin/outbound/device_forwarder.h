#pragma once

#include "core/job/job_id.h"
#include "sipplugin/message/callbacks.h"
#include "sipplugin/outbound/transient_forwarder.h"
#include "sipplugin/outbound/uac.h"
#include "sipplugin/registration/binding_store.h"

#include <string>

namespace restante::sip {

/// One attempt at the first device, or through the proxy. Borrows all it is given. *One loop.*
class DeviceForwarder final : public TransientForwarder {
public:
    struct Settings {
        std::vector<std::string> proxy;  ///< `sip.proxy`; empty = to the device directly
        std::string ownAddress;
    };

    DeviceForwarder(BindingStore& bindings, Uac& uac, const Clock& clock, Settings settings)
        : bindings_(bindings),
          uac_(uac),
          settings_(std::move(settings)),
          ids_(clock)
    {
    }

    void forward(Job message, std::function<void(SipAnswer)> done) override;

private:
    using Forwarded = std::function<void(SipAnswer)>;
    void send(const Job& message, const DeliveryRoute& route, Forwarded done);

    BindingStore& bindings_;
    Uac& uac_;
    Settings settings_;
    JobIdGenerator ids_;
    Lifetime lifetime_;
};

}  // namespace restante::sip
