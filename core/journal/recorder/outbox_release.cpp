#include "core/journal/recorder/outbox_release.h"

#include "core/base/log.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script_queue.h"

#include <memory>

namespace restante::journal {

void releaseOutbox(EventLoop& loop,
                   redis::Connection& connection,
                   const Clock& clock,
                   const Config& config)
{
    for (std::uint32_t shard = 0; shard < config.redis.shards; ++shard) {
        auto scripts = std::make_shared<redis::ScriptQueue>(
            loop, connection, clock,
            redis::ScriptQueue::Settings{.shardPrefix =
                                             redis::shardPrefix(config.redis.prefix, shard)});
        // The answer keeps it alive until it has come.
        scripts->add(redis::script("journal_leave"), {}, {""},
                     [&loop, scripts, shard](const Result<redis::Reply>& reply) {
                         if (!reply) {
                             log::warning("journal", "shard {}: {}", shard, reply.error().message);
                         }
                         // Later: it must not end from inside its own answer.
                         loop.post([scripts] {});
                     });
    }
}

}  // namespace restante::journal
