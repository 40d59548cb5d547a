#pragma once

#include "core/base/event_loop.h"
#include "core/queue/job_store.h"
#include "core/schedule/due_watcher.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante {

/// Where consumers ask for pull jobs and wait for them ("long poll"). Whoever has waited longest
/// for a topic gets its next job; nobody who waits costs anything until something is due.
/// Borrows everything. *One loop.*
class PopDesk {
public:
    struct Settings {
        std::size_t parked = 10'000;  ///< `http.limits.parked`: who may wait at once
    };
    struct Order {
        std::vector<std::string> topics = {};  ///< at least one
        std::uint32_t max = 1;                 ///< jobs; answered as soon as there is one
        Millis wait{0};                        ///< 0 = only what is due now
    };
    using Ticket = std::uint64_t;
    using Jobs = std::vector<ClaimedJob>;

    PopDesk(EventLoop& loop, DueWatcher& due, JobStore& store, Settings settings);
    PopDesk(const PopDesk&) = delete;
    PopDesk& operator=(const PopDesk&) = delete;
    /// Nobody who waits is answered any more: stop() first.
    ~PopDesk();

    /// Answers once, later: leased jobs, none when the wait is over, or why the store cannot say.
    /// Busy when too many wait already.
    Ticket pop(Order order, Done<Jobs> done);
    /// Whoever asked has gone: is not answered any more, and what is being claimed for them goes to
    /// the next one. Unknown and answered tickets are ignored.
    void cancel(Ticket ticket);
    /// Jobs that reached nobody are due again as they were, and the attempt does not count.
    void giveBack(const Jobs& jobs);
    /// Whoever waits is answered "none", and nobody waits from now on.
    void stop();

    std::size_t parked() const noexcept;

private:
    class Impl;
    /// Shared, so that the store's answers find out that it has gone.
    std::shared_ptr<Impl> impl_;
};

}  // namespace restante
