#include "core/base/text.h"
#include "core/redis/store/redis_job_inspector.h"
#include "core/redis/store/store_answers.h"

#include <array>
#include <map>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace restante::redis {

namespace {

/// Two cheap look-ups a lane.
constexpr std::size_t kLanesPerCount = 200;

constexpr std::array kCounted{JobState::Leased, JobState::Held, JobState::Dead, JobState::Trashed,
                              JobState::Done};

using Topic = std::pair<Channel, std::string>;
using Nothing = std::monostate;

/// "pull:5:order"
Topic topicOf(const std::string& lane)
{
    const auto colon = lane.find(':');
    return {channelNamed(lane.substr(0, colon)).value_or(Channel::Pull), lane.substr(colon + 3)};
}

template <class Number>
Number takeNumber(std::string_view& rest, char separator = ' ')
{
    return leadingNumber<Number>(takeWord(rest, separator));
}

/// "<since ms>\n<by>\n<why>"
TopicPause pauseOf(std::string_view text)
{
    TopicPause pause;
    pause.since = fromEpochMs(takeNumber<std::int64_t>(text, '\n'));
    pause.actor = takeWord(text, '\n');
    pause.reason = text;
    return pause;
}

void addLimits(TopicView& view, std::string_view text)
{
    const auto leased = takeNumber<std::uint64_t>(text);
    view.limits.concurrency = takeNumber<std::uint32_t>(text);
    view.limits.rate.count = takeNumber<std::uint32_t>(text);
    view.limits.rate.per = Millis{takeNumber<std::int64_t>(text)};
    if (view.limits.concurrency > 0) {
        view.leased = view.leased.value_or(0) + leased;
    }
}

/// The shards heard of it one after the other.
void addPause(TopicView& view, std::string_view text)
{
    auto pause = pauseOf(text);
    if (!view.pause || pause.since < view.pause->since) {
        view.pause = std::move(pause);
    }
}

template <class Key, class View>
std::vector<View> valuesOf(std::map<Key, View>&& views)
{
    std::vector<View> values;
    for (auto& [key, view] : views) {
        values.push_back(std::move(view));
    }
    return values;
}

}  // namespace

/// What counts() has of some lanes, or of the sets that are not lanes.
struct RedisJobInspector::Counted {
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
};

void RedisJobInspector::counts(Done<StoreCounts> done)
{
    scanLanes(shards_, [this, done = std::move(done)](Result<std::vector<Lanes>> found) {
        if (!found) {
            return done(tl::unexpected(found.error()));
        }
        const auto counting = std::make_shared<Counting>(mapped<Counted>(done, [](Counted&& all) {
            all.counts.topics = valuesOf(std::move(all.topics));
            return std::move(all.counts);
        }));
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
    std::vector<std::string> arguments{std::to_string(lanes.size())};
    arguments.insert(arguments.end(), lanes.begin(), lanes.end());
    const auto add = [lanes = std::move(lanes)](Counted& sum, const Reply& reply) {
        constexpr std::size_t kSets = kCounted.size() + 1;
        const auto numbers = numbersOf(reply);
        if (numbers.size() >= kSets && lanes.empty()) {
            sum.addSets(numbers);
        }
        for (std::size_t i = 0; kSets + 2 * i + 1 < numbers.size(); ++i) {
            sum.addLane(lanes[i], numbers[kSets + 2 * i], numbers[kSets + 2 * i + 1]);
        }
    };
    shards_[shard]->add(
        script("counts"), {}, arguments,
        [counting, add](const Result<Reply>& reply) { counting->take(reply, add); });
}

/// The counts, then what holds topics back on each shard.
void RedisJobInspector::topics(Done<std::vector<TopicView>> done)
{
    counts([this, done = std::move(done)](Result<StoreCounts> counts) {
        if (!counts) {
            return done(tl::unexpected(std::move(counts.error())));
        }
        using Views = std::map<std::string, TopicView>;
        auto views = std::make_shared<Views>();
        for (auto& topic : counts->topics) {
            (*views)[topic.topic].channels.push_back(topic);
        }
        askEveryShard<Nothing>(
            shards_, script("topics"), {""},
            [views, done](const Result<Nothing>& asked) {
                for (auto& [topic, view] : *views) {
                    view.topic = topic;
                }
                done(asked.map([&](Nothing) { return valuesOf(std::move(*views)); }));
            },
            [views](Nothing&, const Reply& reply) {
                const auto rows = textsOf(reply);
                for (std::size_t i = 0; i + 3 <= rows.size(); i += 3) {
                    auto& view = (*views)[rows[i + 1]];
                    rows[i] == "pause" ? addPause(view, rows[i + 2]) : addLimits(view, rows[i + 2]);
                }
            });
    });
}

}  // namespace restante::redis
