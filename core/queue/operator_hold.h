#pragma once

#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"

namespace restante {

/// An operator's wish that nobody gets the job until somebody releases it: of one that is scheduled
/// or ready, and stays so until the store holds it. What is leased stays its worker's, also when it
/// is claimed meanwhile. Conflict names the state of any other; NotFound when there is none.
/// Borrows inspector and queue, which must live until the answer. *One loop.*
void holdWaiting(JobInspector& inspector,
                 DelayQueue& queue,
                 OperatorAction action,
                 Done<void> done);

}  // namespace restante
