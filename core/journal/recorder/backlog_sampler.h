#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/journal/sql/sql_thread.h"
#include "core/queue/job_inspector.h"

#include <functional>
#include <memory>

namespace restante::journal {

/// Writes a sample of the store's backlog and lateness to the journal, once in each `every`, for
/// the charts. *One loop*; borrows everything.
///
/// One sample costs Redis the counts of a `GET /stats` and, of everything and of the busiest
/// topics, the look-up of a few ranks, one topic after the other. It is made with the connection of
/// `inspector`, which should serve nothing else, and written by a thread of its own, so that
/// neither a delivery nor a durable answer waits for it. What fails, fails for this moment only:
/// there is no sample of it, and the charts have a gap.
///
/// What comes and goes by topic every daemon counts of the shards that it records, and adds it up
/// in the journal with that of the others.
///
/// Of several daemons on one store the one that records shard 0 looks (Duties::looks). While one
/// takes over from another, both may believe that they do; then the primary key of the table,
/// moment and topic, decides: whoever comes second writes nothing.
class BacklogSampler {
public:
    struct Parts {
        EventLoop& loop;
        const Clock& clock;
        JobInspector& inspector;
        SqlThread& recording;  ///< of the recorders: it counts what they commit
        SqlThread& writing;    ///< another one
    };
    /// Told by whoever composes it.
    struct Duties {
        std::function<bool()> looks;   ///< it is this daemon that looks at the store now
        std::function<bool()> counts;  ///< it records a shard, and counts what comes and goes
    };
    /// `every` 0 = never.
    BacklogSampler(Parts parts, Millis every, Duties duties);
    BacklogSampler(const BacklogSampler&) = delete;
    BacklogSampler& operator=(const BacklogSampler&) = delete;
    ~BacklogSampler();

    /// Topics that a sample has rows of: those with the largest backlog.
    static constexpr std::size_t kMostTopics = 100;
    /// And those whose lateness it has: with the most ready jobs.
    static constexpr std::size_t kMostLate = 20;

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace restante::journal
