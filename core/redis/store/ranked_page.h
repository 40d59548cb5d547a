#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/queue/job_search.h"
#include "core/redis/store/lane_scan.h"

namespace restante::redis {

/// JobInspector::ranked() in Redis: measures the sets of the states (span), narrows down where the
/// page begins in each of them (RankSplit, ranks), merges what follows (RankMerge), and reads the
/// jobs at those ranks (ranked). With N jobs in K sets that is a handful of rounds of K look-ups
/// each, O(K log N) in commands of a millisecond, between which others are served. The queues, loop
/// and clock must live until the answer, which their destruction gives, too.
void pageByRank(EventLoop& loop,
                const ShardQueues& shards,
                const Clock& clock,
                RankQuery query,
                Done<RankPage> done);

}  // namespace restante::redis
