#include "core/redis/store/lane_scan.h"

#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <utility>

namespace restante::redis {

namespace {

constexpr std::array kChannels{Channel::Pull, Channel::Sip, Channel::Sms, Channel::Webhook};
/// Topics whose lanes are named without asking which there are.
constexpr std::size_t kTopicsByName = 20;

void sortOnce(Lanes& lanes)
{
    std::ranges::sort(lanes);
    lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
}

Lanes lanesByName(const LaneChoice& choice)
{
    Lanes lanes;
    for (const auto& topic : *choice.topics) {
        for (const auto channel : kChannels) {
            for (int priority = 0; priority <= 9 && allows(choice.channels, channel); ++priority) {
                lanes.push_back(fmt::format("{}:{}:{}", name(channel), priority, topic));
            }
        }
    }
    sortOnce(lanes);
    return lanes;
}

/// "pull:5:order"
bool allowsLane(const LaneChoice& choice, const std::string& lane)
{
    const auto colon = lane.find(':');
    const auto channel = channelNamed(lane.substr(0, colon));
    return channel && allows(choice.channels, *channel) &&
           allows(choice.topics, lane.substr(std::min(lane.size(), colon + 3)));
}

using Scan = Gathering<std::vector<Lanes>>;

void scanShard(const std::shared_ptr<Scan>& scan,
               const ShardQueues& shards,
               std::size_t shard,
               const std::string& cursor)
{
    ++scan->missing;
    const auto add = [&shards, scan, shard](std::vector<Lanes>& sum, const Reply& reply) {
        auto found = textsOf(reply);
        if (found.empty()) {
            return;
        }
        std::move(found.begin() + 1, found.end(), std::back_inserter(sum[shard]));
        if (found.front() != "0") {
            scanShard(scan, shards, shard, found.front());
        }
    };
    shards[shard]->add(script("lanes"), {}, {cursor},
                       [scan, add](const Result<Reply>& reply) { scan->take(reply, add); });
}

}  // namespace

void scanLanes(const ShardQueues& shards, Done<std::vector<Lanes>> done)
{
    auto scan = std::make_shared<Scan>([done = std::move(done)](Result<std::vector<Lanes>> found) {
        if (found) {
            std::ranges::for_each(*found, sortOnce);  // SSCAN may name a member twice
        }
        done(std::move(found));
    });
    scan->sum.resize(shards.size());
    for (std::size_t shard = 0; shard < shards.size(); ++shard) {
        scanShard(scan, shards, shard, "0");
    }
}

void chooseLanes(const ShardQueues& shards, LaneChoice choice, Done<std::vector<Lanes>> done)
{
    if (choice.topics && choice.topics->size() <= kTopicsByName) {
        return done(std::vector<Lanes>(shards.size(), lanesByName(choice)));
    }
    scanLanes(shards, [choice = std::move(choice),
                       done = std::move(done)](Result<std::vector<Lanes>> found) {
        if (found) {
            for (auto& lanes : *found) {
                std::erase_if(lanes, [&](const auto& lane) { return !allowsLane(choice, lane); });
            }
        }
        done(std::move(found));
    });
}

}  // namespace restante::redis
