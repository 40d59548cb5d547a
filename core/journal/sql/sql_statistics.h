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

/// What moved, counted in steps of one length. Empty members do not restrict. *Value.*
struct ThroughputQuery {
    std::string topic = {};
    std::string channel = {};  ///< its name
    TimePoint begin{};         ///< inclusive
    TimePoint end{};           ///< exclusive
    Millis step{1'000};
    std::string after = {};  ///< ThroughputPart::after of the part before
    /// Transitions that one part looks at, and so how long it keeps the database: no index is in
    /// the order of time, because writing one would cost the daemon.
    std::uint32_t most = 50'000;
};

struct ThroughputPart {
    /// Jobs moved in the step that begins then, by transition.
    std::map<std::pair<TimePoint, std::string>, std::uint64_t> moves;
    /// What this part's transitions reach from and to, whenever they were.
    std::optional<TimePoint> earliest;
    std::optional<TimePoint> latest;
    std::string after;  ///< empty: this was the last part
};

/// Parts are added up. Invalid names the field. Throws SqlError.
Result<ThroughputPart> readThroughput(SqlSession& session, const ThroughputQuery& query);

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
    std::optional<LatenessPercentiles> lateness;  ///< none: nobody measured it
};

/// Writes the whole sample and answers true; when the journal already has a sample of that moment,
/// writes nothing and answers false: of several daemons on one store the first one's sample stays.
/// Throws SqlError.
bool writeBacklogSample(SqlSession& session, const BacklogSample& sample);

/// In the order of time, at most one for each step, by one statement; where nobody looked there is
/// none. Invalid names the field: a window is at most 2,000 steps. Throws SqlError.
Result<std::vector<BacklogStep>> readBacklog(SqlSession& session, const BacklogQuery& query);

enum class Traffic {
    In,        ///< pushed
    Finished,  ///< an attempt succeeded, and that was the end
    Dead,      ///< an attempt failed, and that was the end
    Retried,   ///< an attempt failed, and another one follows
    Expired,   ///< came to its end without an attempt
};

/// Jobs that came or went in one interval.
struct TrafficJobs {
    std::vector<std::string> ids;  ///< the first of them: a fair sample when there were too many
    std::uint64_t jobs = 0;        ///< all
};
/// By the beginning of the interval.
using TrafficCounts = std::map<std::pair<TimePoint, Traffic>, TrafficJobs>;

/// Counts what comes and goes while it is being recorded. It costs the recorder a note of each id;
/// which topic it belongs to is looked up when it is written down. *One thread.*
class TrafficCounter {
public:
    /// In intervals of so long; 0 = not at all.
    void count(Millis every) { every_ = every; }
    void add(const std::vector<JournalEvent>& events);
    /// What has been counted since the last time.
    TrafficCounts take();

    /// Ids kept of one take: some 15 MB at most.
    static constexpr std::size_t kMostIds = 200'000;

private:
    Millis every_{0};
    TrafficCounts counts_;
    std::size_t ids_ = 0;
};

/// How many jobs came and went a second, of one topic or of all.
struct TrafficRate {
    double in = 0;
    double out = 0;       ///< finished, dead or expired
    double finished = 0;  ///< attempts that succeeded
    double failed = 0;    ///< attempts that failed, whether another one follows or not
};

struct TrafficRates {
    TimePoint from{};  ///< counted from then
    TimePoint until{};
    std::map<std::string, TrafficRate> topics;  ///< which is not there had nothing
};

/// Adds the counts to what is there of their intervals, by whichever daemon, and notes that the
/// interval at `at` was watched though nothing came. Throws SqlError.
void writeTraffic(SqlSession& session, const TrafficCounts& counts, TimePoint at, Millis every);

/// The rates of the last complete intervals: five minutes, or one interval where they are longer.
/// NotFound: nobody counted just before `now`. Throws SqlError.
Result<TrafficRates> readTraffic(SqlSession& session, TimePoint now);

/// What came and was finished in [begin, end) by topic, in steps of one length.
struct TrafficHistory {
    struct Steps {
        std::vector<std::uint64_t> in;
        std::vector<std::uint64_t> finished;
    };
    std::vector<bool> known;              ///< of each step: somebody counted in it
    std::map<std::string, Steps> topics;  ///< "" = all; which is not there had nothing
};

/// Of all topics by one statement. Invalid names the field: a window has at most 2,000 steps.
/// Throws SqlError.
Result<TrafficHistory>
readTrafficHistory(SqlSession& session, TimePoint begin, TimePoint end, Millis step);

}  // namespace restante::journal
