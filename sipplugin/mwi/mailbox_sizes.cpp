#include "sipplugin/mwi/mailbox_sizes.h"

#include "core/job/job_id.h"
#include "core/redis/client/connection.h"
#include "core/redis/store/keys.h"

#include <utility>

namespace restante::sip {

RedisMailboxSizes::RedisMailboxSizes(redis::Connection& connection,
                                     std::string prefix,
                                     std::uint32_t shards)
    : connection_(connection),
      prefix_(std::move(prefix)),
      shards_(shards)
{
}

void RedisMailboxSizes::count(const std::string& aor, Done<std::uint64_t> done)
{
    const auto key = redis::shardPrefix(prefix_, shardOfMailbox(aor, shards_)) + "box:" + aor;
    connection_.command({"ZCARD", key},
                        [done = std::move(done)](const Result<redis::Reply>& reply) {
                            done(reply.map([](const redis::Reply& count) {
                                const auto* number = count.integer();
                                return static_cast<std::uint64_t>(number != nullptr ? *number : 0);
                            }));
                        });
}

}  // namespace restante::sip
