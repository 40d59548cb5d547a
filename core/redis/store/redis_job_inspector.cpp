#include "core/redis/store/redis_job_inspector.h"

#include "core/job/job_id.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/ranked_page.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"

#include <utility>

namespace restante::redis {

RedisJobInspector::RedisJobInspector(EventLoop& loop,
                                     Connection& connection,
                                     const Clock& clock,
                                     Settings settings)
    : loop_(loop),
      connection_(connection),
      clock_(clock),
      settings_(std::move(settings))
{
    for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
        shards_.push_back(std::make_unique<ScriptQueue>(
            loop, connection, clock,
            ScriptQueue::Settings{.shardPrefix = shardPrefix(settings_.prefix, shard),
                                  .fence = settings_.fence,
                                  .shard = shard}));
    }
}

RedisJobInspector::~RedisJobInspector() = default;

void RedisJobInspector::show(std::string id, Done<JobView> done)
{
    const auto shards = static_cast<std::uint32_t>(shards_.size());
    shards_[shardOfId(id, shards)]->add(
        script("show"), id, {id}, [this, id, done = std::move(done)](const Result<Reply>& reply) {
            done(shownJobOf(reply, id, clock_.now()));
        });
}

void RedisJobInspector::ranked(RankQuery query, Done<RankPage> done)
{
    pageByRank(loop_, shards_, clock_, std::move(query), std::move(done));
}

}  // namespace restante::redis
