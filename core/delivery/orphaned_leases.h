#pragma once

#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"

#include <functional>
#include <string>

namespace restante::delivery {

/// The leases of a channel, or of one topic on it.
struct OrphanedLeases {
    Channel channel = Channel::Pull;
    std::string topic = {};  ///< empty = every topic
};

/// Requeues, uncounted and due at once, every job leased by `whose`: after a crash of the only
/// daemon that works on a store nobody else holds them, and waiting for them to lapse would be a
/// delay for nothing. Calls `done` once, also when it could not; such leases lapse in time. Borrows
/// both until then. *One loop.*
void requeueLeases(DelayQueue& queue,
                   JobInspector& inspector,
                   OrphanedLeases whose,
                   std::function<void()> done);

}  // namespace restante::delivery
