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

/// Pull jobs for consumers, who may wait for them ("long poll"), first come, first served by topic;
/// a request that waits costs nothing until something is due. Borrows everything. *One loop.*
class LongPollQueue {
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

    LongPollQueue(EventLoop& loop, DueWatcher& due, JobStore& store, Settings settings);
    LongPollQueue(const LongPollQueue&) = delete;
    LongPollQueue& operator=(const LongPollQueue&) = delete;
    /// Requests that wait are not answered any more: stop() first.
    ~LongPollQueue();

    /// Answers once, later: leased jobs, none when the wait is over, or why the store cannot say.
    /// Busy when too many wait already.
    RequestId pop(Request request, Done<Jobs> done);
    /// Whoever asked has gone: is not answered any more, and what is being claimed for them goes to
    /// the next one. Unknown and answered ids are ignored.
    void cancel(RequestId id);
    /// Jobs whose answer did not arrive are due again as they were; the attempt does not count.
    void requeue(const Jobs& jobs);
    /// Requests that wait are answered "none", and none waits from now on.
    void stop();

    std::size_t parked() const noexcept;

private:
    class Impl;
    /// Shared, so that the store's answers find out that it has gone.
    std::shared_ptr<Impl> impl_;
};

}  // namespace restante
