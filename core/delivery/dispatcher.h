#pragma once

#include "core/base/event_loop.h"
#include "core/base/interface.h"
#include "core/delivery/courier.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "core/schedule/due_watcher.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace restante::delivery {

/// Brings the due jobs of one channel to its courier and records what became of them:
///
///     due -> claim as many as the courier has room for -> deliver -> finish | fail | bury | give
///     back | leave leased until a report comes
///
/// While a job travels its lease is kept alive, so that nobody else takes it. When the store cannot
/// be reached to record an outcome, that is repeated until the store answers: a delivered job must
/// not be delivered again because an answer was lost, and the attempt number keeps a repetition
/// from touching what somebody else has claimed since. Any number of daemons may run one for the
/// same channel. Borrows everything, which must outlive it. *One loop.*
class Dispatcher : public Interface {
public:
    /// Jobs still in flight at its destruction are forgotten: their leases lapse.
    static std::shared_ptr<Dispatcher>
    make(EventLoop& loop, DelayQueue& queue, DueWatcher& due, Courier& courier);

    /// Claims nothing more, gives back at once and uncounted what has not been sent, waits for what
    /// is on its way, and calls `done` when everything has been recorded. Once.
    virtual void drain(std::function<void()> done) = 0;
    /// Jobs in flight, or whose outcome is not recorded yet.
    virtual std::size_t inFlight() const noexcept = 0;
};

/// Selects the leases of a channel, or of one topic on it.
struct LeaseFilter {
    Channel channel = Channel::Pull;
    std::string topic = {};  ///< empty = every topic
};

/// Requeues, uncounted and due at once, every leased job that `filter` selects; messages return to
/// their mailboxes. After a crash of the only daemon that works on a store nobody else holds them,
/// and waiting for them to lapse would be a delay for nothing: to be called before it claims
/// anything. Calls `done` once, also when it could not; such leases lapse in time. Borrows both
/// until then. *One loop.*
void requeueLeases(DelayQueue& queue,
                   JobInspector& inspector,
                   LeaseFilter filter,
                   std::function<void()> done);

}  // namespace restante::delivery
