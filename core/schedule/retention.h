#pragma once

#include "core/base/callback_guard.h"
#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/queue/job_inspector.h"
#include "core/queue/job_store.h"

namespace restante {

/// Purges what has been trashed or done for longer than it is kept: looks once at the start and
/// then every quarter of an hour, a page at a time, oldest first. Nobody waits for it, so unlike
/// the due watcher it may be late. Borrows everything. *One loop.*
class Retention {
public:
    struct Settings {
        Millis trash{0};  ///< `retention.trash`
        Millis done{0};   ///< `retention.done`
    };

    Retention(EventLoop& loop,
              const Clock& clock,
              JobStore& store,
              JobInspector& inspector,
              Settings settings);

    /// From now on.
    void keep(Settings settings) noexcept { settings_ = settings; }

private:
    void lookAfter(Millis pause)
    {
        timer_.arm(pause, [this] { look(JobState::Trashed); });
    }
    void look(JobState state);
    void purge(JobState state, const Result<JobPage>& page);
    void purgeOne(const std::string& id);

    const Clock& clock_;
    JobStore& store_;
    JobInspector& inspector_;
    Settings settings_;
    Timer timer_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante
