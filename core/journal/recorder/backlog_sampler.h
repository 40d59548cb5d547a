#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/journal/sql/sql_thread.h"
#include "core/queue/job_inspector.h"

#include <functional>
#include <memory>

namespace restante::journal {

/// What a sampler borrows.
struct SamplerParts {
    EventLoop& loop;
    const Clock& clock;
    JobInspector& inspector;
    SqlThread& recording;  ///< of the recorders: it counts what they commit
    SqlThread& writing;    ///< another one
};
/// Told by whoever composes it.
struct SamplerDuties {
    std::function<bool()> looks;   ///< it is this daemon that looks at the store now
    std::function<bool()> counts;  ///< it records a shard, and counts what comes and goes
};

/// Writes a sample of the store's backlog and lateness to the journal, once in each `every`, for
/// the charts, until what it returns is destroyed. *One loop.*
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
/// Of several daemons on one store the one that records shard 0 looks (SamplerDuties::looks). While
/// one takes over from another, both may believe that they do; then the primary key of the table,
/// moment and topic, decides: whoever comes second writes nothing.
[[nodiscard]] std::shared_ptr<void>
sampleBacklog(SamplerParts parts, Millis every, SamplerDuties duties);

}  // namespace restante::journal
