#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/queue/job_store.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace restante {

/// Calls a handler when a source has something due: sleeps until the earliest due time of each
/// watched source (a timing wheel holds the wake-ups), is woken early by the store's Wake when a
/// nearer job comes, never polls, never calls early. Sets the store's onWake handler. While the
/// store cannot answer, a source is asked again with back-off (100 ms to 2 s); one whose head has
/// not moved when its handler has settled is handled again with growing delays (1 ms to 1 s). *One
/// loop.*
class DueWatcher {
public:
    /// Processes what is due (claims until nothing is left), then calls `settled` once; the watcher
    /// then asks the store for the source's next moment. A source is never handled twice at a time.
    using Handler = std::function<void(std::function<void()> settled)>;

    DueWatcher(EventLoop& loop, const Clock& clock, JobStore& store);
    DueWatcher(const DueWatcher&) = delete;
    DueWatcher& operator=(const DueWatcher&) = delete;
    ~DueWatcher();

    using WatchId = std::uint64_t;

    /// Asks for the source's next moment at once. Never returns 0.
    WatchId watch(DueSource source, Handler handler);
    /// Its handler is not called any more; a `settled` that comes later does nothing. Unknown ids
    /// are ignored.
    void unwatch(WatchId id) noexcept;
    /// No handler is ever called again; a `settled` that comes later does nothing.
    void stop() noexcept;

private:
    class Impl;
    /// Shared, so that the store's answers and `settled` notice when it has been destroyed.
    std::shared_ptr<Impl> impl_;
};

}  // namespace restante
