#pragma once

#include "core/base/callback_guard.h"
#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/queue/job_inspector.h"
#include "core/queue/job_store.h"

namespace restante {

/// Purges jobs that have been trashed or done for longer than their retention: checks at the start
/// and then every quarter of an hour, a page at a time, oldest first. Nobody waits for it, so
/// unlike the due watcher it may be late. Borrows everything. *One loop.*
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

    /// Takes effect at the next page.
    void updateSettings(Settings settings) noexcept { settings_ = settings; }

private:
    void scheduleCheck(Millis delay)
    {
        timer_.arm(delay, [this] { requestPage(JobState::Trashed); });
    }
    void requestPage(JobState state);
    void purgePage(JobState state, const Result<JobPage>& page);
    void purgeJob(const std::string& id);

    const Clock& clock_;
    JobStore& store_;
    JobInspector& inspector_;
    Settings settings_;
    Timer timer_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante
