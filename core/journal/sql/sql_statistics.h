#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/journal/outbox/journal_event.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace restante::journal {

class SqlSession;

/// A query of the numbers of transitions in steps of equal length. Empty members do not restrict.
/// *Value.*
struct ThroughputQuery {
    std::string topic = {};
    std::string channel = {};  ///< its name
    TimePoint begin{};         ///< inclusive
    TimePoint end{};           ///< exclusive
    Millis step{1'000};
    std::string after = {};  ///< ThroughputPart::after of the part before
    /// The number of transitions that one part examines, which bounds its duration: no index is in
    /// order of time, because the daemon would have to write it.
    std::uint32_t most = 50'000;
};

struct ThroughputPart {
    /// The number of jobs by start of the step and transition.
    std::map<std::pair<TimePoint, std::string>, std::uint64_t> moves;
    /// The earliest and latest times of all transitions of this part, also outside the window.
    std::optional<TimePoint> earliest;
    std::optional<TimePoint> latest;
    std::string after;  ///< empty: this was the last part
};

/// Reads one part; the caller adds the parts up. Invalid names the field. Throws SqlError.
Result<ThroughputPart> readThroughput(SqlSession& session, const ThroughputQuery& query);

/// How late the ready jobs of a sample are.
struct LatenessPercentiles {
    Millis p50{0};
    Millis p95{0};
    Millis p99{0};
};

/// The backlog of the whole store, or of one topic on one channel. *Value.*
struct TopicBacklog {
    std::string topic = {};    ///< empty, as the channel: the whole store
    std::string channel = {};  ///< its name
    std::uint64_t ready = 0;
    std::uint64_t scheduled = 0;
    // For the whole store only: these are not counted by topic.
    std::uint64_t leased = 0;
    std::uint64_t held = 0;
    std::uint64_t dead = 0;
    std::optional<LatenessPercentiles> lateness = {};  ///< none: not measured
};

/// A sample of a store, for the time from `at` to `at + span`. *Value.*
struct BacklogSample {
    TimePoint at{};  ///< a multiple of `span` since the epoch
    Millis span{60'000};
    /// Whether `topics` has every topic with a backlog; then a topic that is missing there has
    /// none.
    bool allTopics = true;
    TopicBacklog whole = {};
    std::vector<TopicBacklog> topics = {};
};

/// A query of the backlog in steps of equal length. Empty members do not restrict. *Value.*
struct BacklogQuery {
    std::string topic = {};
    std::string channel = {};  ///< its name
    TimePoint begin{};         ///< inclusive
    TimePoint end{};           ///< exclusive
    Millis step{60'000};
};

/// The backlog of [at, until): the mean of each count, and the worst of each lateness. When the
/// query names a topic or a channel, the counts of all that match are added up, and the lateness is
/// the worst of theirs.
struct BacklogStep {
    TimePoint at{};
    TimePoint until{};
    double ready = 0;
    double scheduled = 0;
    // None when the query names a topic or a channel.
    std::optional<double> leased;
    std::optional<double> held;
    std::optional<double> dead;
    std::optional<LatenessPercentiles> lateness;  ///< none: not measured
};

/// Writes the whole sample and answers true; when the journal already has a sample of that time,
/// writes nothing and returns false: of several daemons on one store, the sample of the first one
/// stays. Throws SqlError.
bool writeBacklogSample(SqlSession& session, const BacklogSample& sample);

/// In order of time, at most one per step, by one statement; none for a step without a sample.
/// Invalid names the field: a window has at most 2,000 steps. Throws SqlError.
Result<std::vector<BacklogStep>> readBacklog(SqlSession& session, const BacklogQuery& query);

enum class Traffic {
    In,        ///< pushed
    Finished,  ///< an attempt succeeded, and that was the end
    Dead,      ///< an attempt failed, and that was the end
    Retried,   ///< an attempt failed, and another one follows
    Expired,   ///< its time was over: no attempt ended it
};

/// The jobs that one kind of traffic moved in one interval.
struct TrafficJobs {
    std::vector<std::string> ids;  ///< the first ones, a fair sample when there were too many
    std::uint64_t jobs = 0;        ///< all
};
/// By start of the interval and kind of traffic.
using TrafficCounts = std::map<std::pair<TimePoint, Traffic>, TrafficJobs>;
/// Adds `more` to `counts`, of what waits to be written. Drops the oldest beyond a bound, and ids
/// beyond TrafficCounter::kMostIds.
void mergeTraffic(TrafficCounts& counts, TrafficCounts more);

/// Counts pushes and what attempts and jobs ended with while they are recorded. The recorder keeps
/// only each id; its topic is looked up when the counts are written. *One thread.*
class TrafficCounter {
public:
    /// Counts from now on, in intervals of this length; 0 = not at all.
    void start(Millis interval) { interval_ = interval; }
    void add(const std::vector<JournalEvent>& events);
    /// Returns the counts since the last call.
    TrafficCounts take();

    /// The number of ids kept between two calls of take(): some 15 MB at most.
    static constexpr std::size_t kMostIds = 200'000;

private:
    Millis interval_{0};
    TrafficCounts counts_;
    std::size_t idCount_ = 0;
};

/// Jobs per second of one topic or of all.
struct TrafficRate {
    double in = 0;
    double out = 0;       ///< finished, dead or expired
    double finished = 0;  ///< attempts that succeeded
    double failed = 0;    ///< attempts that failed, whether another one follows or not
};

struct TrafficRates {
    TimePoint from{};  ///< begin of the first interval of these rates
    TimePoint until{};
    std::map<std::string, TrafficRate> topics;  ///< a missing topic had none
};

/// Adds the counts to existing ones of their intervals, by any daemon, and writes a row for the
/// interval that begins at `at` even without counts, which shows that it was counted. `interval` is
/// the length of each. Throws SqlError.
void writeTraffic(SqlSession& session, const TrafficCounts& counts, TimePoint at, Millis interval);

/// The rates of the last complete intervals: five minutes, or one interval if that is longer.
/// NotFound: no daemon counted just before `now`. Throws SqlError.
Result<TrafficRates> readTraffic(SqlSession& session, TimePoint now);

/// Numbers of pushed and finished jobs in [begin, end) by topic, in steps of equal length.
struct TrafficHistory {
    struct Steps {
        std::vector<std::uint64_t> in;
        std::vector<std::uint64_t> finished;
    };
    std::vector<bool> known;              ///< by step: whether a daemon counted in it
    std::map<std::string, Steps> topics;  ///< "" = all; a missing topic had none
};

/// Reads all topics by one statement. Invalid names the field: a window has at most 2,000 steps.
/// Throws SqlError.
Result<TrafficHistory>
readTrafficHistory(SqlSession& session, TimePoint begin, TimePoint end, Millis step);

}  // namespace restante::journal
