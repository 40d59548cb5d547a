#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/queue/job_search.h"
#include "core/redis/store/lane_scan.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace restante::redis {

/// What scanJobs() looks for. *Value.*
struct JobScan {
    std::function<bool(const JobView&)> matches;
    std::vector<JobState> states;  ///< in the order in which they are gone through
    std::optional<std::vector<Channel>> channels{};  ///< narrow the lanes
    std::optional<std::vector<std::string>> topics{};
    JobSearch::Order order = JobSearch::Order::Ascending;
    std::string cursor{};
    std::uint32_t limit = 0;    ///< jobs, 0 = only count them
    std::uint32_t step = 100;   ///< entries a command reads
    std::uint64_t budget = ~0;  ///< entries looked at
};

struct ScannedJobs {
    std::vector<JobView> jobs;
    std::map<JobState, std::uint64_t>
        counts;          ///< matching jobs, of each state that was gone through
    std::string cursor;  ///< empty at the end
    std::uint64_t examined = 0;
};

/// Goes through the sets of the states, command by bounded command, between which others are
/// served, until `limit` jobs have matched, the budget is used up or the end has come. Invalid: the
/// cursor is none. The queues, loop and clock must live until the answer, which their destruction
/// gives, too.
void scanJobs(EventLoop& loop,
              const ShardQueues& shards,
              const Clock& clock,
              JobScan scan,
              Done<ScannedJobs> done);

}  // namespace restante::redis
