#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/queue/job_store.h"
#include "core/schedule/timing_wheel.h"

#include <functional>
#include <memory>

namespace restante {

/// Calls a handler when a source has something due: sleeps until the earliest due time of each
/// watched source (a timing wheel holds the wake-ups), is woken early by the store's Wake when a
/// nearer job comes, never polls, never calls early. Sets the store's onWake handler. *One loop.*
class DueWatcher {
public:
    /// Works off what is due (claims until nothing is left), then calls `settled` once; the watcher
    /// then asks the store for the source's next moment. A source is never handled twice at a time.
    using Handler = std::function<void(std::function<void()> settled)>;

    DueWatcher(EventLoop& loop, const Clock& clock, JobStore& store);
    DueWatcher(const DueWatcher&) = delete;
    DueWatcher& operator=(const DueWatcher&) = delete;
    ~DueWatcher();

    void watch(DueSource source, Handler handler);
    /// While the store is unavailable the source is asked again with back-off (100 ms to 2 s).
    void stop() noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante
