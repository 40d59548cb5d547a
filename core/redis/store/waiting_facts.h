#pragma once

#include "core/queue/waiting_reason.h"
#include "core/redis/store/daemon_registry.h"

#include <functional>
#include <vector>

namespace restante::redis {

/// Asks what whyItWaits() wants to know of a job: what holds its topic back, which daemons live,
/// and of a message in a mailbox whether its recipient has a device registered here. A question
/// that fails leaves its fact open. `daemons` is called at once; the inspector is borrowed until
/// `done` is called, which is never from inside the call.
void askWaitingFacts(JobInspector& inspector,
                     const std::function<void(Done<std::vector<DaemonView>>)>& daemons,
                     const JobView& view,
                     Done<WaitingFacts> done);

}  // namespace restante::redis
