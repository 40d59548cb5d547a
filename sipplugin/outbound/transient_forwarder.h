#pragma once

#include "core/job/job.h"
#include "sipplugin/message/received_request.h"

#include <functional>

namespace restante::sip {

/// Delivers what is never stored (isComposing, `Expires: 0`): once, to a recipient that is
/// registered now. A port; DeviceForwarder implements it. *One loop.*
class TransientForwarder {
public:
    TransientForwarder() = default;
    TransientForwarder(const TransientForwarder&) = delete;
    TransientForwarder& operator=(const TransientForwarder&) = delete;
    virtual ~TransientForwarder() = default;

    /// `done` gets the device's final answer, or 480 when the recipient has no binding, exactly
    /// once and never from inside the call. Whoever asks gives up waiting before 32 s.
    virtual void forward(Job message, std::function<void(SipAnswer)> done) = 0;
};

}  // namespace restante::sip
