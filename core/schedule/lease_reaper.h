#pragma once

#include "core/queue/delay_queue.h"
#include "core/schedule/due_watcher.h"

#include <functional>

namespace restante {

/// Reaps lapsed leases (the attempt counts as failed: the jobs are retried, held or dead) and
/// buries expired jobs as soon as each is due. One per store and process; borrows both arguments.
/// It is never unwatched: it and the queue must outlive the watcher's last call. *One loop.*
class LeaseReaper {
public:
    LeaseReaper(DelayQueue& queue, DueWatcher& due);
    LeaseReaper(const LeaseReaper&) = delete;

private:
    void reap(std::function<void()> settled);
    void expire(std::function<void()> settled);

    DelayQueue& queue_;
};

}  // namespace restante
