#pragma once

#include "core/base/event_loop.h"
#include "core/base/interface.h"
#include "core/queue/job_store.h"
#include "core/schedule/due_watcher.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace restante {

/// Pull jobs for consumers, who may wait for them ("long poll"), first come, first served by topic;
/// a request that waits costs nothing until something is due. Borrows everything. *One loop.*
class LongPollQueue : public Interface {
public:
    struct Settings {
        std::size_t maxParked = 8'000;  ///< requests that may wait at once: `http.limits.parked`
        /// How many wait. Queues of several threads that have the same one share the limit.
        std::shared_ptr<std::atomic<std::size_t>> parked =
            std::make_shared<std::atomic<std::size_t>>(0);
    };
    struct Request {
        std::vector<std::string> topics = {};  ///< at least one
        std::uint32_t max = 1;                 ///< jobs; answered as soon as there is one
        Millis wait{0};                        ///< 0 = only what is due now
    };
    using RequestId = std::uint64_t;
    using Jobs = std::vector<ClaimedJob>;

    /// Requests that still wait when it is destroyed are never answered: call stop() first.
    static std::shared_ptr<LongPollQueue>
    make(EventLoop& loop, DueWatcher& due, JobStore& store, Settings settings);

    /// Answers once, later: leased jobs, none when the wait is over, or why the store cannot say.
    /// Busy when too many wait already.
    virtual RequestId pop(Request request, Done<Jobs> done) = 0;
    /// The client has gone: its request is not answered any more, and jobs that are being claimed
    /// for it go to the next one or become due again. Unknown and answered ids are ignored.
    virtual void cancel(RequestId id) = 0;
    /// Makes jobs whose answer did not arrive due again as they were; the attempt does not count.
    virtual void requeue(const Jobs& jobs) = 0;
    /// Answers "none" to the requests that wait; no request waits from now on.
    virtual void stop() = 0;

    /// How many wait here.
    virtual std::size_t parked() const noexcept = 0;
};

}  // namespace restante
