#pragma once

#include "core/queue/delay_queue.h"
#include "core/schedule/due_watcher.h"

#include <functional>

namespace restante {

/// The duties that no channel owns: lapsed leases go back (or to dead) and what has expired is
/// buried, each the moment it is due. One per store and process; borrows both, which must outlive
/// the watcher's last call. *One loop.*
class Upkeep {
public:
    Upkeep(DelayQueue& queue, DueWatcher& due);
    Upkeep(const Upkeep&) = delete;
    Upkeep& operator=(const Upkeep&) = delete;

private:
    void reap(std::function<void()> settled);
    void expire(std::function<void()> settled);

    DelayQueue& queue_;
};

}  // namespace restante
