#include "core/redis/redis_job_store.h"
#include "core/redis/script_queue.h"
#include "core/redis/store_answers.h"

#include <fmt/format.h>
#include <utility>

/// What RedisJobStore does to a topic as a whole: the same script on every shard.
namespace restante::redis {

namespace {

/// The part of a concurrency limit that falls to one of `shards`.
std::uint32_t shareOf(std::uint32_t concurrency, std::uint32_t shard, std::uint32_t shards)
{
    return concurrency / shards + (shard < concurrency % shards ? 1 : 0);
}

/// Microseconds between two jobs of one of `shards` that together keep the rate.
double intervalOf(const Rate& rate, std::uint32_t shards)
{
    constexpr double kMicros = 1'000;  // in a millisecond
    return rate.count == 0 ? 0
                           : static_cast<double>(rate.per.count()) * kMicros * shards /
                                 static_cast<double>(rate.count);
}

}  // namespace

/// A call on its way through the shards.
struct RedisJobStore::TopicRound {
    std::string_view script;
    TopicAction action;
    TopicLimits limits;
    Done<void> done;
    std::size_t missing = 0;
    std::optional<Error> error;

    void end(const Result<Reply>& reply)
    {
        if (!reply) {
            error = reply.error();
        }
        if (--missing == 0) {
            done(error ? Result<void>(tl::unexpected(*error)) : Result<void>());
        }
    }
};

void RedisJobStore::pauseTopic(TopicAction action, Done<void> done)
{
    onEveryShard("pause", std::move(action), {}, std::move(done));
}

void RedisJobStore::resumeTopic(TopicAction action, Done<void> done)
{
    onEveryShard("resume", std::move(action), {}, std::move(done));
}

void RedisJobStore::limitTopic(TopicAction action, TopicLimits limits, Done<void> done)
{
    onEveryShard("limit", std::move(action), limits, std::move(done));
}

void RedisJobStore::onEveryShard(std::string_view name,
                                 TopicAction action,
                                 TopicLimits limits,
                                 Done<void> done)
{
    auto right = validate(action).and_then([&] { return validate(limits, settings_.shards); });
    if (!right) {
        return answerLater<void>(std::move(done), std::move(right));
    }
    auto round = std::make_shared<TopicRound>();
    round->script = name;
    round->action = std::move(action);
    round->limits = limits;
    round->done = std::move(done);
    round->missing = shards_.size();
    for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
        askShard(round, shard);
    }
}

void RedisJobStore::askShard(const std::shared_ptr<TopicRound>& round, std::uint32_t shard)
{
    const auto& [topic, actor, reason] = round->action;
    const auto& limits = round->limits;
    // One entry of one stream is the audit of the whole.
    std::vector<std::string> arguments{topic, actor, reason, shard == 0 ? "1" : "0"};
    if (round->script == "limit") {
        arguments.push_back(std::to_string(shareOf(limits.concurrency, shard, settings_.shards)));
        arguments.push_back(fmt::format("{:.3f}", intervalOf(limits.rate, settings_.shards)));
        arguments.push_back(fmt::format("{} {} {}", limits.concurrency, limits.rate.count,
                                        limits.rate.per.count()));
    }
    const std::vector<std::string_view> views(arguments.begin(), arguments.end());
    shards_[shard]->add(script(round->script), {}, views,
                        [this, round, shard](const Result<Reply>& reply) {
                            const auto* status = reply ? reply->text() : nullptr;
                            if (status != nullptr && *status == "more") {
                                return askShard(round, shard);
                            }
                            round->end(reply);
                        });
}

}  // namespace restante::redis
