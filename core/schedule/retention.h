#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/queue/job_inspector.h"
#include "core/queue/job_store.h"

#include <memory>

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
    Retention(const Retention&) = delete;

    /// From now on.
    void keep(Settings settings) noexcept { settings_ = settings; }

private:
    void lookAfter(Millis pause);
    void look(JobState state);
    void purge(JobState state, const Result<JobPage>& page);
    void purgeOne(const std::string& id);

    const Clock& clock_;
    JobStore& store_;
    JobInspector& inspector_;
    Settings settings_;
    Timer timer_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< for answers that outlive this
};

}  // namespace restante
