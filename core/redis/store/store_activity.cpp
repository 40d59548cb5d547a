#include "core/redis/store/store_activity.h"

#include "core/base/text.h"
#include "core/redis/store/event_entry.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <memory>

namespace restante::redis {

namespace {

/// Jobs a request looks at; with bodies of the usual size that takes less than a millisecond.
constexpr std::uint64_t kStep = 200;
/// What activity.lua answers before the transitions.
constexpr std::size_t kPulseFields = 7;

/// Answers of several commands, gathered.
template <class T>
struct Gathering {
    Done<T> done;
    std::size_t missing = 0;
    std::optional<Error> error = {};
    T sum = {};

    void end()
    {
        if (--missing == 0) {
            done(error ? Result<T>(tl::unexpected(*error)) : Result<T>(std::move(sum)));
        }
    }
};

void addRestoring(std::optional<Restoring>& sum, const std::vector<std::string>& words)
{
    using Why = Restoring::Why;
    const auto& phase = words[4];
    if (phase.empty()) {
        return;
    }
    if (!sum) {
        sum.emplace();
    }
    sum->why = phase == "rolled_back" ? Why::RolledBack
               : phase == "foreign"   ? Why::Foreign
                                      : Why::Lost;
    sum->done += static_cast<std::uint64_t>(leadingNumber<std::int64_t>(words[5]));
    sum->of += static_cast<std::uint64_t>(leadingNumber<std::int64_t>(words[6]));
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
        const auto waited = now - fromEpochMs(positionOf(oldest).first);
        // By Redis' clock, which may be a moment ahead: something waits, so it is not nothing.
        sum->behind = std::max(sum->behind, std::max(waited, Millis{1}));
    }
    sum->owned = sum->owned && leadingNumber<std::int64_t>(words[3]) > toEpochMs(now);
    if (sum->owners.find(words[2]) == std::string::npos) {
        sum->owners += (sum->owners.empty() ? "" : " ") + words[2];
    }
}

void addPulse(StoreActivity& sum, const std::vector<std::string>& words, TimePoint now)
{
    if (words.size() < kPulseFields) {
        return;
    }
    for (auto i = kPulseFields; i + 1 < words.size(); i += 2) {
        sum.moves[words[i]] +=
            static_cast<std::uint64_t>(leadingNumber<std::int64_t>(words[i + 1]));
    }
    addJournal(sum.journal, words, now);
    addRestoring(sum.restoring, words);
}

/// "pull:5:order", how many
void addLane(JobsByTopic& sum, const std::string& lane, const std::string& count)
{
    const auto colon = lane.find(':');
    const auto channel = channelNamed(lane.substr(0, colon));
    if (channel && lane.size() > colon + 3) {
        sum[{*channel, lane.substr(colon + 3)}] +=
            static_cast<std::uint64_t>(leadingNumber<std::int64_t>(count));
    }
}

}  // namespace

StoreActivityReader::StoreActivityReader(EventLoop& loop,
                                         Connection& connection,
                                         const Clock& clock,
                                         Settings settings)
    : clock_(clock)
{
    for (std::uint32_t shard = 0; shard < settings.shards; ++shard) {
        shards_.push_back(std::make_unique<ScriptQueue>(
            loop, connection, clock,
            ScriptQueue::Settings{.shardPrefix = shardPrefix(settings.prefix, shard)}));
    }
}

StoreActivityReader::~StoreActivityReader() = default;

void StoreActivityReader::activity(Done<StoreActivity> done)
{
    auto gathering = std::make_shared<Gathering<StoreActivity>>(
        Gathering<StoreActivity>{std::move(done), shards_.size()});
    for (auto& shard : shards_) {
        shard->add(script("activity"), {}, {""}, [this, gathering](const Result<Reply>& reply) {
            if (reply) {
                addPulse(gathering->sum, textsOf(*reply), clock_.now());
            } else {
                gathering->error = reply.error();
            }
            gathering->end();
        });
    }
}

void StoreActivityReader::countByTopic(JobState state, std::uint64_t most, Done<JobsByTopic> done)
{
    const auto steps = (most + kStep - 1) / kStep;
    auto gathering = std::make_shared<Gathering<JobsByTopic>>(
        Gathering<JobsByTopic>{std::move(done), shards_.size() * steps});
    for (auto& shard : shards_) {
        for (std::uint64_t step = 0; step < steps; ++step) {
            const auto first = std::to_string(step * kStep);
            const auto last = std::to_string(std::min(most, (step + 1) * kStep) - 1);
            shard->add(script("count_by_topic"), {}, {setOf(state), first, last},
                       [gathering](const Result<Reply>& reply) {
                           if (!reply) {
                               gathering->error = reply.error();
                           }
                           const auto words = reply ? textsOf(*reply) : std::vector<std::string>{};
                           for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
                               addLane(gathering->sum, words[i], words[i + 1]);
                           }
                           gathering->end();
                       });
        }
    }
}

}  // namespace restante::redis
