#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/journal/sql/sql_thread.h"
#include "core/queue/job_inspector.h"

#include <functional>
#include <memory>

namespace restante::journal {

/// What a sampler borrows.
struct SamplerContext {
    EventLoop& loop;
    const Clock& clock;
    JobInspector& inspector;
    SqlThread& recording;  ///< of the recorders, which counts what they commit
    SqlThread& writing;    ///< another thread, for the samples
};
/// The duties of this daemon, which may change at any time.
struct SamplerDuties {
    std::function<bool()> isSampler;  ///< this daemon samples the store
    std::function<bool()>
        countsTraffic;  ///< it records a shard, and counts its pushed and ended jobs
};

/// Writes a sample of the store's backlog and lateness to the journal, once in each `interval`, for
/// the charts, until what it returns is destroyed. *One loop.*
///
/// One sample costs Redis the counts of a `GET /stats` and the look-up of a few ranks for the whole
/// store and for each of the busiest topics. It uses the connection of `inspector`, which should
/// serve nothing else, and is written by another thread than the events, so that neither a delivery
/// nor a durable answer waits for it. A sample that fails is left out, and the charts have a gap.
///
/// Every daemon counts the pushed and ended jobs by topic of the shards that it records, and adds
/// its counts to those of the others in the journal.
///
/// Of several daemons on one store, the one that records shard 0 samples it
/// (SamplerDuties::isSampler). During a takeover both may do so; then the primary key of the table,
/// time and topic, decides: the second one writes nothing.
[[nodiscard]] std::shared_ptr<void>
sampleBacklog(SamplerContext context, Millis interval, SamplerDuties duties);

}  // namespace restante::journal
