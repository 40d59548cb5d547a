#pragma once

#include "core/journal/recovery/shard_settings.h"
#include "core/queue/job_history.h"

#include <cstdint>
#include <memory>
#include <string>

namespace restante::journal {

/// Finds the jobs that the journal has as living and the store does not have, and recovers or
/// forgets them.
///
/// A job that is absent may just have been finished, and the journal be behind; so everything that
/// had happened when it was found absent is awaited, and the journal asked once more, before it is
/// believed to be lost. Some recorder must therefore be at work. *One loop*; borrows everything.
class Reconciler {
public:
    /// Of the store with this prefix, which has so many shards.
    Reconciler(ShardParts parts, std::string prefix, std::uint32_t shards);
    Reconciler(const Reconciler&) = delete;
    Reconciler& operator=(const Reconciler&) = delete;
    /// What runs is not answered any more.
    ~Reconciler();

    /// They come back into the store: row "recover" of docs/job-lifecycle.md. One after the other,
    /// in the order of the calls. Shows its progress in the log.
    void recover(RecoverRequest request, Done<RecoverOutcome> done);
    /// The journal ends those of one shard, as long as the shard is served by this token: of a
    /// store that was emptied nothing is missing by its own doing.
    void forget(std::uint32_t shard, const std::string& token, Done<RecoverOutcome> done);

private:
    class Run;
    struct Shared;

    std::shared_ptr<Shared> shared_;
};

}  // namespace restante::journal
