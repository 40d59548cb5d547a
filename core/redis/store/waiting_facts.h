#pragma once

#include "core/queue/waiting_reason.h"
#include "core/redis/store/daemon_registry.h"

#include <functional>
#include <vector>

namespace restante::redis {

/// Collects the facts for whyItWaits(): pause and limits of the topic, whether a living daemon
/// delivers on the job's channel, and for a message in a mailbox whether its recipient has a device
/// registered here. A request that fails leaves its fact unknown. `daemons` is called at once; the
/// inspector is borrowed until `done` is called, which is never from inside the call.
void askWaitingFacts(JobInspector& inspector,
                     const std::function<void(Done<std::vector<DaemonView>>)>& daemons,
                     const JobView& view,
                     Done<WaitingFacts> done);

}  // namespace restante::redis
