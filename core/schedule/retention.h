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
        timer_.arm(delay, [this] { requestPage(JobState::Trashed, {}); });
    }
    /// What became of the jobs of one page that are kept for long enough.
    struct PurgeTally {
        std::size_t purged = 0;
        std::size_t refused = 0;
        std::string refusal;        ///< the first one, with the job's id
        bool storeRefuses = false;  ///< it takes no writes at present, whatever the job
    };
    /// `cursor`: of the page before, or empty.
    void requestPage(JobState state, const std::string& cursor);
    void purgePage(JobState state, const Result<JobPage>& page);
    void finishPage(JobState state, const PurgeTally& tally, const std::string& nextCursor);

    const Clock& clock_;
    JobStore& store_;
    JobInspector& inspector_;
    Settings settings_;
    Timer timer_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante
