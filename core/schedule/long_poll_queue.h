#pragma once

#include "core/base/event_loop.h"
#include "core/base/interface.h"
#include "core/queue/job_store.h"
#include "core/schedule/due_watcher.h"

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
        std::size_t parked = 8'000;  ///< `http.limits.parked`: who may wait at once
    };
    struct Request {
        std::vector<std::string> topics = {};  ///< at least one
        std::uint32_t max = 1;                 ///< jobs; answered as soon as there is one
        Millis wait{0};                        ///< 0 = only what is due now
    };
    using RequestId = std::uint64_t;
    using Jobs = std::vector<ClaimedJob>;

    /// Requests that wait when it goes are not answered any more: stop() first.
    static std::shared_ptr<LongPollQueue>
    make(EventLoop& loop, DueWatcher& due, JobStore& store, Settings settings);

    /// Answers once, later: leased jobs, none when the wait is over, or why the store cannot say.
    /// Busy when too many wait already.
    virtual RequestId pop(Request request, Done<Jobs> done) = 0;
    /// Whoever asked has gone: is not answered any more, and what is being claimed for them goes to
    /// the next one. Unknown and answered ids are ignored.
    virtual void cancel(RequestId id) = 0;
    /// Jobs whose answer did not arrive are due again as they were; the attempt does not count.
    virtual void requeue(const Jobs& jobs) = 0;
    /// Requests that wait are answered "none", and none waits from now on.
    virtual void stop() = 0;

    virtual std::size_t parked() const noexcept = 0;
};

}  // namespace restante
