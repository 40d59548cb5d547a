#pragma once

#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"

#include <functional>

namespace restante::delivery {

/// Gives back, uncounted and due at once, every lease of `channel`: after a crash of the only
/// daemon that works on a store nobody else holds them, and waiting for them to lapse would be a
/// delay for nothing. Calls `done` once, also when it could not; such leases lapse in time. Borrows
/// both until then. *One loop.*
void giveBackLeases(DelayQueue& queue,
                    JobInspector& inspector,
                    Channel channel,
                    std::function<void()> done);

}  // namespace restante::delivery
