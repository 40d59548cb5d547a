#include "core/redis/store/redis_job_inspector.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"

#include <array>
#include <map>
#include <optional>
#include <utility>

namespace restante::redis {

namespace {

/// Two cheap look-ups a lane.
constexpr std::size_t kLanesPerCount = 200;

constexpr std::array kCounted{JobState::Leased, JobState::Held, JobState::Dead, JobState::Trashed,
                              JobState::Done};

using Topic = std::pair<Channel, std::string>;

/// "pull:5:order"
Topic topicOf(const std::string& lane)
{
    const auto colon = lane.find(':');
    return {channelNamed(lane.substr(0, colon)).value_or(Channel::Pull), lane.substr(colon + 3)};
}

}  // namespace

/// A counts() on its way.
struct RedisJobInspector::Counting {
    Done<StoreCounts> done;
    std::size_t missing = 0;
    std::optional<Error> error;
    StoreCounts counts;
    std::map<Topic, TopicCounts> topics;

    void addSets(const std::vector<std::uint64_t>& numbers)
    {
        for (std::size_t i = 0; i < kCounted.size(); ++i) {
            counts.states[kCounted[i]] += numbers[i];
        }
        counts.mailboxes += numbers[kCounted.size()];
    }
    void addLane(const std::string& lane, std::uint64_t scheduled, std::uint64_t ready)
    {
        counts.states[JobState::Scheduled] += scheduled;
        counts.states[JobState::Ready] += ready;
        if (scheduled + ready == 0) {
            return;
        }
        const Topic topic = topicOf(lane);
        auto& sum = topics[topic];
        sum.channel = topic.first;
        sum.topic = topic.second;
        sum.scheduled += scheduled;
        sum.ready += ready;
    }
    void answer()
    {
        if (error) {
            return done(tl::unexpected(*error));
        }
        for (auto& [topic, sum] : topics) {
            counts.topics.push_back(std::move(sum));
        }
        done(std::move(counts));
    }
};

void RedisJobInspector::counts(Done<StoreCounts> done)
{
    scanLanes(shards_, [this, done = std::move(done)](Result<std::vector<Lanes>> found) {
        if (!found) {
            return done(tl::unexpected(found.error()));
        }
        auto counting = std::make_shared<Counting>();
        counting->done = done;
        for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
            count(counting, shard, {});  // the sets that are not lanes
            Lanes some;
            for (auto& lane : (*found)[shard]) {
                some.push_back(std::move(lane));
                if (some.size() == kLanesPerCount) {
                    count(counting, shard, std::exchange(some, {}));
                }
            }
            if (!some.empty()) {
                count(counting, shard, std::move(some));
            }
        }
    });
}

void RedisJobInspector::count(const std::shared_ptr<Counting>& counting,
                              std::size_t shard,
                              Lanes lanes)
{
    ++counting->missing;
    const std::string count = std::to_string(lanes.size());
    std::vector<std::string_view> arguments{count};
    arguments.insert(arguments.end(), lanes.begin(), lanes.end());
    const auto gather = [counting, lanes](const Result<Reply>& reply) {
        constexpr std::size_t kSets = kCounted.size() + 1;
        const auto numbers = reply ? numbersOf(*reply) : std::vector<std::uint64_t>{};
        if (!reply) {
            counting->error = reply.error();
        } else if (numbers.size() >= kSets && lanes.empty()) {
            counting->addSets(numbers);
        }
        for (std::size_t i = 0; kSets + 2 * i + 1 < numbers.size(); ++i) {
            counting->addLane(lanes[i], numbers[kSets + 2 * i], numbers[kSets + 2 * i + 1]);
        }
        if (--counting->missing == 0) {
            counting->answer();
        }
    };
    shards_[shard]->add(script("counts"), {}, arguments, gather);
}

}  // namespace restante::redis
