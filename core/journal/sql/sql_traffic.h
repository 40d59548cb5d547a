#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/journal/outbox/journal_event.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace restante::journal {

class SqlSession;

enum class Traffic {
    In,   ///< pushed
    Out,  ///< finished, or given up: dead or expired
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
    double out = 0;
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

}  // namespace restante::journal
