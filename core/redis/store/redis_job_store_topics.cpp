#include "core/redis/store/redis_job_store.h"
#include "core/redis/store/slot_exchange.h"
#include "core/redis/store/store_answers.h"

#include <utility>

/// What RedisJobStore does to a topic as a whole: the same script on every shard.
namespace restante::redis {

namespace {

/// What limit.lua has answered: a status and the generation of the slots.
std::pair<std::string, std::string> limitAnswerOf(const Result<Reply>& reply)
{
    const auto* text = reply ? reply->text() : nullptr;
    if (text == nullptr) {
        return {};
    }
    std::string_view words = *text;
    const auto status = takeWord(words);
    return {std::string(status), std::string(takeWord(words))};
}

}  // namespace

/// A call on its way through the shards.
struct RedisJobStore::TopicRound {
    std::string_view script;
    TopicAction action;
    TopicLimits limits = {};
    Done<void> done;
    std::string generation = {};  ///< of the slots of a limit, as limit.lua takes it
    std::size_t missing = 0;
    Result<void> outcome = {};

    /// True with the last answer.
    bool add(const Result<Reply>& reply)
    {
        if (!reply) {
            outcome = tl::unexpected(reply.error());
        }
        return --missing == 0;
    }
    void end() const { done(outcome); }
};

void RedisJobStore::pauseTopic(TopicAction action, Done<void> done)
{
    onEveryShard("pause", std::move(action), std::move(done));
}

void RedisJobStore::resumeTopic(TopicAction action, Done<void> done)
{
    onEveryShard("resume", std::move(action), std::move(done));
}

void RedisJobStore::onEveryShard(std::string_view name, TopicAction action, Done<void> done)
{
    if (auto right = validate(action); !right) {
        return answerLater<void>(std::move(done), std::move(right));
    }
    auto round = std::make_shared<TopicRound>();
    round->script = name;
    round->action = std::move(action);
    round->done = std::move(done);
    round->missing = shards_.size();
    for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
        askShard(round, shard);
    }
}

void RedisJobStore::askShard(const std::shared_ptr<TopicRound>& round, std::uint32_t shard)
{
    const auto& [topic, actor, reason, since] = round->action;
    // One entry of one stream is the audit of the whole.
    std::vector<std::string> arguments{topic, actor, reason, shard == 0 ? "1" : "0"};
    if (round->script == "pause") {
        arguments.push_back(since ? std::to_string(toEpochMs(*since)) : std::string());
    }
    shards_[shard]->add(script(round->script), {}, arguments,
                        [this, round, shard](const Result<Reply>& reply) {
                            const auto* status = reply ? reply->text() : nullptr;
                            if (status != nullptr && *status == "more") {
                                return askShard(round, shard);
                            }
                            if (round->add(reply)) {
                                round->end();
                            }
                        });
}

/// The first shard begins a generation of slots and says its number, the others follow, and when
/// all have stopped giving jobs out by the old one, the slots are dealt out.
void RedisJobStore::limitTopic(TopicAction action, TopicLimits limits, Done<void> done)
{
    auto right = validate(action).and_then([&] { return validate(limits); });
    if (!right) {
        return answerLater<void>(std::move(done), std::move(right));
    }
    auto round = std::make_shared<TopicRound>();
    round->script = "limit";
    round->action = std::move(action);
    round->limits = limits;
    round->done = std::move(done);
    round->generation = settings_.shards == 1 ? "" : "0";
    round->missing = 1;
    limitShard(round, 0, Tell::Yes);
}

void RedisJobStore::limitShard(const std::shared_ptr<TopicRound>& round,
                               std::uint32_t shard,
                               Tell tell)
{
    const auto& [topic, actor, reason, since] = round->action;
    const auto [interval, whole] = limitArguments(round->limits, settings_.shards);
    shards_[shard]->add(
        script("limit"), {},
        {topic, actor, reason, tell == Tell::Yes ? "1" : "0", round->generation, interval, whole},
        [this, round, shard](const Result<Reply>& reply) {
            const auto [status, generation] = limitAnswerOf(reply);
            if (shard == 0 && !generation.empty()) {
                round->generation = generation;
            }
            if (status == "more") {
                return limitShard(round, shard, Tell::No);
            }
            if (!round->add(reply)) {
                return;
            }
            const bool isFirst = shard == 0 && settings_.shards > 1;
            isFirst && round->outcome ? limitOthers(round) : endLimit(round);
        });
}

void RedisJobStore::limitOthers(const std::shared_ptr<TopicRound>& round)
{
    round->missing = shards_.size() - 1;
    for (std::uint32_t shard = 1; shard < settings_.shards; ++shard) {
        limitShard(round, shard, Tell::No);
    }
}

void RedisJobStore::endLimit(const std::shared_ptr<TopicRound>& round)
{
    if (!round->outcome || !slots_ || round->limits.concurrency == 0) {
        return round->end();
    }
    slots_->settle(round->action.topic, [round](bool) { round->end(); });
}

}  // namespace restante::redis
