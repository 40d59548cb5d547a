#include "sipplugin/inbound/sender_quotas.h"

#include "core/job/job_id.h"
#include "core/redis/client/connection.h"
#include "core/redis/store/keys.h"
#include "sipplugin/lua/script.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace restante::sip {

namespace {

Result<bool> verdictOf(const redis::Reply& reply)
{
    const auto* word = reply.text();
    if (word == nullptr || (*word != "ok" && *word != "full")) {
        return failure(ErrorCode::Internal, "share: Redis answered something unexpected");
    }
    return *word == "ok";
}

std::string printMs(TimePoint at)
{
    return std::to_string(toEpochMs(at));
}

}  // namespace

RedisSenderQuotas::RedisSenderQuotas(redis::Connection& connection,
                                     const Clock& clock,
                                     std::string prefix,
                                     std::uint32_t shards)
    : connection_(connection),
      clock_(clock),
      prefix_(std::move(prefix)),
      shards_(shards)
{
}

std::string RedisSenderQuotas::keyOf(const std::string& sender) const
{
    return redis::shardPrefix(prefix_, shardOfMailbox(sender, shards_)) + "share:" + sender;
}

void RedisSenderQuotas::acquire(Claim claim, Done<bool> done)
{
    std::vector<std::string> arguments{keyOf(claim.sender),
                                       printMs(clock_.now()),
                                       std::move(claim.id),
                                       std::to_string(claim.most),
                                       std::to_string(claim.keep.count()),
                                       claim.before ? printMs(*claim.before) : std::string{}};
    std::ranges::move(claim.pending, std::back_inserter(arguments));
    evaluate(connection_, "share", 1, std::move(arguments),
             [done = std::move(done)](const Result<redis::Reply>& reply) {
                 done(reply.and_then(&verdictOf));
             });
}

void RedisSenderQuotas::stored(const std::string& sender, const std::string& id)
{
    const auto key = keyOf(sender);
    connection_.command({"ZADD", key, "XX", "0", id}, [](const Result<redis::Reply>&) {});
}

void RedisSenderQuotas::release(const std::string& sender, const std::string& id)
{
    const auto key = keyOf(sender);
    connection_.command({"ZREM", key, id}, [](const Result<redis::Reply>&) {});
}

}  // namespace restante::sip
