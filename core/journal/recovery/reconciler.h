#pragma once

#include "core/journal/recovery/recording_settings.h"
#include "core/queue/job_history.h"

#include <cstdint>
#include <memory>
#include <string>

namespace restante::journal {

/// Finds the jobs that must be in Redis by the journal but are not in the store, and recovers or
/// forgets them.
///
/// An absent job may just have been finished while the journal lags; so it waits until the journal
/// has recorded everything that had happened when the job was found absent, and then queries it
/// again, before the job counts as lost. A recorder must therefore be running. *One loop*; borrows
/// everything.
class Reconciler {
public:
    /// For the store with this prefix and number of shards.
    Reconciler(JournalContext context, std::string prefix, std::uint32_t shards);
    Reconciler(const Reconciler&) = delete;
    Reconciler& operator=(const Reconciler&) = delete;
    /// Running calls are not answered any more.
    ~Reconciler();

    /// Brings lost jobs back into the store: row "recover" of docs/job-lifecycle.md. Calls run one
    /// after the other. Logs its progress.
    void recover(RecoverRequest request, Done<RecoverOutcome> done);
    /// Marks lost jobs of one shard as ended in the journal, while the shard is served by this
    /// token: if the store was emptied meanwhile, their absence means nothing.
    void forget(std::uint32_t shard, const std::string& token, Done<RecoverOutcome> done);

private:
    class Run;
    struct RunQueue;

    std::shared_ptr<RunQueue> queue_;
};

}  // namespace restante::journal
