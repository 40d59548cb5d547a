#include "core/redis/store/store_activity.h"

#include "core/base/result_gathering.h"
#include "core/base/text.h"
#include "core/queue/job_search.h"
#include "core/redis/store/ask_every_shard.h"
#include "core/redis/store/event_entry.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <utility>

namespace restante::redis {

namespace {

/// Jobs that a request examines; with bodies of the usual size that takes less than a millisecond.
constexpr std::uint64_t kJobsPerRequest = 200;
/// How many fields activity.lua answers before the transitions.
constexpr std::size_t kActivityFields = 7;

void addNotServed(std::optional<NotServed>& sum, const std::vector<std::string>& words)
{
    using Why = NotServed::Why;
    const auto& why = words[4];
    if (why.empty()) {
        return;
    }
    if (!sum) {
        sum.emplace();
    }
    sum->why = why == "rolled_back" ? Why::RolledBack : why == "foreign" ? Why::Foreign : Why::Lost;
    sum->done += leadingNumber<std::uint64_t>(words[5]);
    sum->total += leadingNumber<std::uint64_t>(words[6]);
}

void addJournal(std::optional<JournalProgress>& sum,
                const std::vector<std::string>& words,
                TimePoint now)
{
    const auto& oldest = words[0];  // of those that are not recorded
    if (words[1].empty()) {
        return;  // no journal listens to this shard
    }
    if (!sum) {
        sum.emplace();
    }
    if (!oldest.empty()) {
        const auto waited = now - fromEpochMs(streamPositionOf(oldest).first);
        // At least 1 ms, because an event waits; its time is by Redis' clock, which may be ahead.
        sum->behind = std::max(sum->behind, std::max(waited, Millis{1}));
    }
    sum->owned = sum->owned && leadingNumber<std::int64_t>(words[3]) > toEpochMs(now);
    const auto& owner = words[2];
    // As a whole word: "host/47" is not "host/4711".
    const bool isListed = (" " + sum->owners + " ").find(" " + owner + " ") != std::string::npos;
    if (!owner.empty() && !isListed) {
        sum->owners += (sum->owners.empty() ? "" : " ") + owner;
    }
}

void addActivity(StoreActivity& sum, const std::vector<std::string>& words, TimePoint now)
{
    if (words.size() < kActivityFields) {
        return;
    }
    for (auto i = kActivityFields; i + 1 < words.size(); i += 2) {
        sum.moves[words[i]] += leadingNumber<std::uint64_t>(words[i + 1]);
    }
    addJournal(sum.journal, words, now);
    addNotServed(sum.notServed, words);
}

/// Adds lane, jobs, ... from the word `first` on; answers how many jobs that were.
std::uint64_t addLanes(JobsByTopic& sum, const std::vector<std::string>& words, std::size_t first)
{
    std::uint64_t jobCount = 0;
    for (auto i = first; i + 1 < words.size(); i += 2) {
        const auto jobs = leadingNumber<std::uint64_t>(words[i + 1]);
        jobCount += jobs;
        if (const auto lane = Lane::parse(words[i])) {
            sum[{lane->channel, std::string(lane->topic)}] += jobs;
        }
    }
    return jobCount;
}

void addTopics(JobsByTopic& sum, const JobsByTopic& more)
{
    for (const auto& [topic, jobs] : more) {
        sum[topic] += jobs;
    }
}

/// How many ready jobs belong to the scope.
std::uint64_t readyCountOf(const StoreCounts& counts, const SampleScope& scope)
{
    if (scope.topic.empty() && !scope.channel) {
        return counts.states.at(JobState::Ready);
    }
    std::uint64_t ready = 0;
    for (const auto& topic : counts.topics) {
        const bool isIncluded = (scope.topic.empty() || scope.topic == topic.topic) &&
                                (!scope.channel || *scope.channel == topic.channel);
        ready += isIncluded ? topic.ready : 0;
    }
    return ready;
}

}  // namespace

StoreActivityReader::StoreActivityReader(EventLoop& loop,
                                         Connection& connection,
                                         const Clock& clock,
                                         Settings settings)
    : clock_(clock),
      shards_(shardQueues(loop, connection, clock, settings.prefix, settings.shards))
{
}

StoreActivityReader::~StoreActivityReader() = default;

void StoreActivityReader::activity(Done<StoreActivity> done)
{
    askEveryShard<StoreActivity>(shards_, script("activity"), {""}, std::move(done),
                                 [this](StoreActivity& sum, const Reply& reply) {
                                     addActivity(sum, textsOf(reply), clock_.now());
                                 });
}

template <class Counts>
void StoreActivityReader::countNewest(std::string_view scriptName,
                                      JobState state,
                                      std::uint64_t most,
                                      Done<Counts> done,
                                      std::function<void(Counts&, const Reply&)> add)
{
    const auto steps = (most + kJobsPerRequest - 1) / kJobsPerRequest;
    auto gathering =
        std::make_shared<ResultGathering<Counts>>(std::move(done), shards_.size() * steps);
    for (auto& shard : shards_) {
        for (std::uint64_t step = 0; step < steps; ++step) {
            const auto first = std::to_string(std::min(most, (step + 1) * kJobsPerRequest));
            const auto last = std::to_string(step * kJobsPerRequest + 1);
            shard->add(
                script(scriptName), {}, {setOf(state), "-" + first, "-" + last},
                [gathering, add](const Result<Reply>& reply) { gathering->take(reply, add); });
        }
    }
}

void StoreActivityReader::countByTopic(JobState state, std::uint64_t most, Done<JobsByTopic> done)
{
    countNewest<JobsByTopic>(
        "count_by_topic", state, most, std::move(done),
        [](JobsByTopic& sum, const Reply& reply) { addLanes(sum, textsOf(reply), 0); });
}

void StoreActivityReader::countAllByTopic(JobState state, Done<JobsByTopic> done)
{
    auto gathering =
        std::make_shared<ResultGathering<JobsByTopic>>(std::move(done), shards_.size());
    for (auto& shard : shards_) {
        countFrom(*shard, state, 0, {}, [gathering](const Result<JobsByTopic>& jobs) {
            gathering->take(jobs, addTopics);
        });
    }
}

void StoreActivityReader::countFrom(
    ScriptQueue& shard, JobState state, std::uint64_t rank, JobsByTopic sum, Done<JobsByTopic> done)
{
    const auto next = rank + kJobsPerRequest;
    shard.add(script("count_by_topic"), {},
              {setOf(state), std::to_string(rank), std::to_string(next - 1)},
              [this, &shard, state, next, sum = std::move(sum),
               done = std::move(done)](const Result<Reply>& reply) mutable {
                  if (!reply) {
                      return done(tl::unexpected(reply.error()));
                  }
                  // 0: behind the last job. Unreadable records only make a step smaller.
                  if (addLanes(sum, textsOf(*reply), 0) == 0) {
                      return done(std::move(sum));
                  }
                  countFrom(shard, state, next, std::move(sum), std::move(done));
              });
}

struct StoreActivityReader::RetryingWalk {
    std::string cursor = "0";
    std::uint64_t stepsLeft = 0;
    PartlyCounted sum = {};
    Done<PartlyCounted> done;
};

void StoreActivityReader::countRetryingByTopic(std::uint64_t most, Done<PartlyCounted> done)
{
    auto gathering =
        std::make_shared<ResultGathering<PartlyCounted>>(std::move(done), shards_.size());
    for (auto& shard : shards_) {
        auto walk = std::make_shared<RetryingWalk>();
        walk->stepsLeft = std::max<std::uint64_t>(1, most / kJobsPerRequest);
        walk->done = [gathering](const Result<PartlyCounted>& jobs) {
            gathering->take(jobs, [](PartlyCounted& sum, const PartlyCounted& more) {
                addTopics(sum.jobs, more.jobs);
                sum.isComplete = sum.isComplete && more.isComplete;
            });
        };
        continueWalk(*shard, std::move(walk));
    }
}

void StoreActivityReader::continueWalk(ScriptQueue& shard, std::shared_ptr<RetryingWalk> walk)
{
    shard.add(script("retrying_by_topic"), {}, {walk->cursor},
              [this, &shard, walk](const Result<Reply>& reply) {
                  if (!reply) {
                      return walk->done(tl::unexpected(reply.error()));
                  }
                  const auto words = textsOf(*reply);
                  addLanes(walk->sum.jobs, words, 1);
                  walk->cursor = words.empty() ? "0" : words[0];
                  walk->sum.isComplete = walk->cursor == "0";
                  if (walk->sum.isComplete || --walk->stepsLeft == 0) {
                      return walk->done(std::move(walk->sum));
                  }
                  continueWalk(shard, walk);
              });
}

void StoreActivityReader::countByError(JobState state, std::uint64_t most, Done<JobsByError> done)
{
    countNewest<JobsByError>("count_by_error", state, most, std::move(done),
                             [](JobsByError& sum, const Reply& reply) {
                                 const auto words = textsOf(reply);
                                 for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
                                     sum[words[i]] += leadingNumber<std::uint64_t>(words[i + 1]);
                                 }
                             });
}

void askLateness(JobInspector& inspector,
                 const SampleScope& scope,
                 std::uint64_t ready,
                 TimePoint at,
                 Done<Lateness> done)
{
    static constexpr std::array<std::pair<std::uint64_t, Millis Lateness::*>, 4> kPercentiles{
        {{50, &Lateness::p50}, {95, &Lateness::p95}, {99, &Lateness::p99}, {100, &Lateness::most}}};
    RankQuery query;
    query.states = {JobState::Ready};
    query.limit = 1;
    if (scope.channel) {
        query.channels = {*scope.channel};
    }
    if (!scope.topic.empty()) {
        query.topics = {scope.topic};
    }
    auto gathering =
        std::make_shared<ResultGathering<Lateness>>(std::move(done), kPercentiles.size());
    for (const auto& [percent, member] : kPercentiles) {
        // The latest jobs come first: a percentile is the lateness of the job at a rank.
        query.offset = ready * (100 - percent) / 100;
        inspector.ranked(query, [gathering, at, member = member](const Result<RankPage>& page) {
            gathering->take(page, [&](Lateness& sum, const RankPage& found) {
                if (!found.jobs.empty()) {
                    const auto waited = at - found.jobs.front().due;
                    sum.*member = std::max(Millis{0}, std::chrono::duration_cast<Millis>(waited));
                }
            });
        });
    }
}

StoreStatsReader::StoreStatsReader(JobInspector& inspector,
                                   ActivitySource activity,
                                   const Clock& clock)
    : inspector_(inspector),
      activity_(std::move(activity)),
      clock_(clock)
{
}

void StoreStatsReader::sample(SampleScope scope, Done<StoreStats> done)
{
    auto gathering = std::make_shared<ResultGathering<StoreStats>>(
        [&inspector = inspector_, scope, done = std::move(done)](Result<StoreStats> sample) {
            const auto ready = sample ? readyCountOf(sample->counts, scope) : 0;
            if (ready == 0) {
                return done(std::move(sample));
            }
            const auto at = sample->at;
            askLateness(inspector, scope, ready, at,
                        [sample = std::move(*sample), done](const Result<Lateness>& late) mutable {
                            done(late.map([&](const Lateness& found) {
                                sample.lateness = found;
                                return std::move(sample);
                            }));
                        });
        },
        2);
    gathering->sum.at = clock_.now();
    inspector_.counts([gathering](Result<StoreCounts> counts) {
        gathering->take(counts, [](StoreStats& sum, StoreCounts& storeCounts) {
            sum.counts = std::move(storeCounts);
        });
    });
    activity_([gathering](Result<StoreActivity> activity) {
        gathering->take(activity, [](StoreStats& sum, StoreActivity& storeActivity) {
            sum.moves = std::move(storeActivity.moves);
            sum.journal = std::move(storeActivity.journal);
        });
    });
}

}  // namespace restante::redis
