#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/queue/job_rank.h"
#include "core/redis/lane_scan.h"

namespace restante::redis {

/// JobInspector::ranked() in Redis: measures the sets of the states (span), cuts all sets of a
/// state together before the page and behind it (RankSplit, split), and reads what is in between
/// (ranked). With N jobs in K sets that is a few dozen commands of K look-ups each, O(K log² N) in
/// all, between which others are served. The queues, loop and clock must live until the answer,
/// which their destruction gives, too.
void pageByRank(EventLoop& loop,
                const ShardQueues& shards,
                const Clock& clock,
                RankQuery query,
                Done<RankPage> done);

}  // namespace restante::redis
