#pragma once

#include "core/job/job_id.h"
#include "sipplugin/outbound/sip_courier.h"
#include "sipplugin/outbound/transient_relay.h"
#include "sipplugin/registration/binding_store.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante::sip {

/// The TransientRelay: one attempt at the recipient's first device, or through the proxy. Borrows
/// all it is given. *One loop.*
class DeviceRelay final : public TransientRelay {
public:
    struct Settings {
        std::vector<std::string> proxy;  ///< `sip.proxy`; empty = to the device directly
        std::string ownAddress;
    };

    DeviceRelay(BindingStore& bindings, SipCourier& courier, const Clock& clock, Settings settings);

    void relay(Job message, std::function<void(SipAnswer)> done) override;

private:
    using Relayed = std::function<void(SipAnswer)>;
    void send(const Job& message, const DeliveryRoute& route, Relayed done);

    BindingStore& bindings_;
    SipCourier& courier_;
    Settings settings_;
    JobIdGenerator ids_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< for answers that outlive this
};

}  // namespace restante::sip
