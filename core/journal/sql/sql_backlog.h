#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace restante::journal {

class SqlSession;

/// How late the ready jobs of a sample are.
struct LatenessPercentiles {
    Millis p50{0};
    Millis p95{0};
    Millis p99{0};
};

/// How much waits, of everything or of one topic on one channel. *Value.*
struct TopicBacklog {
    std::string topic = {};    ///< with the channel empty, too: everything
    std::string channel = {};  ///< its name
    std::uint64_t ready = 0;
    std::uint64_t scheduled = 0;
    // Of everything only: nobody counts them by topic.
    std::uint64_t leased = 0;
    std::uint64_t held = 0;
    std::uint64_t dead = 0;
    std::optional<LatenessPercentiles> lateness = {};  ///< none: nobody measured it
};

/// One look at a store; it stands for the time from `at` to `at + span`. *Value.*
struct BacklogSample {
    TimePoint at{};  ///< a multiple of `span` since the epoch
    Millis span{60'000};
    /// Every topic with something that waits is in `topics`: what is not there has nothing.
    bool allTopics = true;
    TopicBacklog whole = {};
    std::vector<TopicBacklog> topics = {};
};

/// What waited, in steps of one length. Empty members do not restrict. *Value.*
struct BacklogQuery {
    std::string topic = {};
    std::string channel = {};  ///< its name
    TimePoint begin{};         ///< inclusive
    TimePoint end{};           ///< exclusive
    Millis step{60'000};
};

/// What is known of [at, until): the means of backlogs, the worst of latenesses, also over the
/// topics and channels of a share.
struct BacklogStep {
    TimePoint at{};
    TimePoint until{};
    double ready = 0;
    double scheduled = 0;
    // None: of a share.
    std::optional<double> leased;
    std::optional<double> held;
    std::optional<double> dead;
    std::optional<LatenessPercentiles> lateness;  ///< none: nobody measured it
};

/// Writes all of it or, when there is a sample of that moment already, nothing, and says so with
/// false: of several daemons that look at one store the first one counts. Throws SqlError.
bool writeBacklogSample(SqlSession& session, const BacklogSample& sample);

/// In the order of time, at most one for each step, by one statement; where nobody looked there is
/// none. Invalid names the field: a window is at most 2,000 steps. Throws SqlError.
Result<std::vector<BacklogStep>> readBacklog(SqlSession& session, const BacklogQuery& query);

}  // namespace restante::journal
