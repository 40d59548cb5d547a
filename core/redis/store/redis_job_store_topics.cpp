#include "core/base/result_gathering.h"
#include "core/redis/store/redis_job_store.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/slot_exchange.h"
#include "core/redis/store/store_answers.h"

#include <utility>

/// The part of RedisJobStore that changes topics: the same script on every shard.
namespace restante::redis {

namespace {

/// A handler for one of the answers that `gathering` waits for.
Done<Reply> partOf(std::shared_ptr<ResultGathering<NoValue>> gathering)
{
    return [gathering = std::move(gathering)](const Result<Reply>& reply) {
        gathering->take(reply, [](NoValue&, const Reply&) {});
    };
}

}  // namespace

/// A call of limitTopic() that is not answered yet.
struct RedisJobStore::LimitRound {
    TopicAction action;
    TopicLimits limits = {};
    Done<void> done;
    std::string generation = {};  ///< of the slots, as limit.lua takes it
};

void RedisJobStore::pauseTopic(TopicAction action, Done<void> done)
{
    runOnEveryShard("pause", std::move(action), std::move(done));
}

void RedisJobStore::resumeTopic(TopicAction action, Done<void> done)
{
    runOnEveryShard("resume", std::move(action), std::move(done));
}

void RedisJobStore::runOnEveryShard(std::string_view name, TopicAction action, Done<void> done)
{
    if (auto valid = validate(action); !valid) {
        return answerLater<void>(std::move(done), std::move(valid));
    }
    auto gathering = std::make_shared<ResultGathering<NoValue>>(
        mapped<NoValue>(std::move(done), [](NoValue) {}), shards_.size());
    std::vector<std::string> arguments{action.topic, action.actor, action.reason, "1"};
    if (name == "pause") {
        arguments.push_back(action.since ? std::to_string(toEpochMs(*action.since))
                                         : std::string());
    }
    for (const auto& shard : shards_) {
        changeTopic(*shard, name, arguments, partOf(gathering));
        arguments[3] = "0";  // only the first shard records it for the audit
    }
}

/// Calls the script until it does not answer "more".
void RedisJobStore::changeTopic(ScriptQueue& shard,
                                std::string_view name,
                                const std::vector<std::string>& arguments,
                                Done<Reply> done)
{
    shard.add(script(name), {}, arguments,
              [this, &shard, name, arguments, done = std::move(done)](const Result<Reply>& reply) {
                  if (reply && reply->textOrEmpty() == "more") {
                      return changeTopic(shard, name, arguments, done);
                  }
                  done(reply);
              });
}

/// The first shard begins a generation of slots and answers its number, then the others begin it,
/// and when no shard uses the old one any more, the slots are dealt.
void RedisJobStore::limitTopic(TopicAction action, TopicLimits limits, Done<void> done)
{
    auto valid = validate(action).and_then([&] { return validate(limits); });
    if (!valid) {
        return answerLater<void>(std::move(done), std::move(valid));
    }
    auto round = std::make_shared<LimitRound>();
    round->action = std::move(action);
    round->limits = limits;
    round->done = std::move(done);
    round->generation = settings_.shards == 1 ? "" : "0";
    limitShard(round, 0, Audit::Yes, [this, round](const Result<Reply>& reply) {
        reply ? limitOthers(round) : round->done(tl::unexpected(reply.error()));
    });
}

void RedisJobStore::limitShard(const std::shared_ptr<LimitRound>& round,
                               std::uint32_t shard,
                               Audit audit,
                               Done<Reply> done)
{
    const auto& [topic, actor, reason, since] = round->action;
    const auto [interval, concurrency, jobs, per] = limitArguments(round->limits, settings_.shards);
    shards_[shard]->add(
        script("limit"), {},
        {topic, actor, reason, audit == Audit::Yes ? "1" : "0", round->generation, interval,
         concurrency, jobs, per},
        [this, round, shard, done = std::move(done)](const Result<Reply>& reply) {
            auto words = reply ? reply->textOrEmpty() : std::string_view();
            const auto status = takeField(words);
            if (const auto generation = takeField(words); shard == 0 && !generation.empty()) {
                round->generation = generation;
            }
            status == "more" ? limitShard(round, shard, Audit::No, done) : done(reply);
        });
}

void RedisJobStore::limitOthers(const std::shared_ptr<LimitRound>& round)
{
    if (settings_.shards == 1) {
        return round->done({});
    }
    auto gathering = std::make_shared<ResultGathering<NoValue>>(
        [this, round](const Result<NoValue>& others) {
            if (!others || round->limits.concurrency == 0) {
                return round->done(others.map([](NoValue) {}));
            }
            slotExchange_->settle(round->action.topic, [round](bool) { round->done({}); });
        },
        shards_.size() - 1);
    for (std::uint32_t shard = 1; shard < settings_.shards; ++shard) {
        limitShard(round, shard, Audit::No, partOf(gathering));
    }
}

}  // namespace restante::redis
