#include "sipplugin/receipts/sender_shares.h"

#include "core/job/job_id.h"
#include "core/redis/connection.h"
#include "core/redis/keys.h"
#include "sipplugin/script.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <memory>
#include <utility>

namespace restante::sip {

namespace {

const redis::Script& shareScript()
{
    const auto all = scripts();
    const auto found = std::ranges::find(all, "share", &redis::Script::name);
    assert(found != all.end());
    return *found;
}

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

RedisSenderShares::RedisSenderShares(redis::Connection& connection,
                                     const Clock& clock,
                                     std::string prefix,
                                     std::uint32_t shards)
    : connection_(connection),
      clock_(clock),
      prefix_(std::move(prefix)),
      shards_(shards)
{
}

std::string RedisSenderShares::keyOf(const std::string& sender) const
{
    return redis::shardPrefix(prefix_, shardOfMailbox(sender, shards_)) + "share:" + sender;
}

void RedisSenderShares::take(Wish wish, Done<bool> done)
{
    auto arguments = std::make_shared<std::vector<std::string>>(std::vector<std::string>{
        keyOf(wish.sender), printMs(clock_.now()), std::move(wish.id), std::to_string(wish.most),
        std::to_string(wish.keep.count()), wish.before ? printMs(*wish.before) : std::string{}});
    std::ranges::move(wish.pending, std::back_inserter(*arguments));
    const auto send = [&connection = connection_, arguments](std::string_view verb,
                                                             std::string_view body,
                                                             Done<redis::Reply> answered) {
        redis::Connection::Args args{verb, body, "1"};
        args.insert(args.end(), arguments->begin(), arguments->end());
        connection.command(args, std::move(answered));
    };
    const auto& script = shareScript();
    send("EVALSHA", script.sha1,
         [send, &script, done = std::move(done)](const Result<redis::Reply>& reply) {
             if (!reply && reply.error().message.starts_with("NOSCRIPT")) {
                 send("EVAL", script.text, [done](const Result<redis::Reply>& again) {
                     done(again.and_then(&verdictOf));
                 });
                 return;
             }
             done(reply.and_then(&verdictOf));
         });
}

void RedisSenderShares::stored(const std::string& sender, const std::string& id)
{
    const auto key = keyOf(sender);
    connection_.command({"ZADD", key, "XX", "0", id}, [](const Result<redis::Reply>&) {});
}

void RedisSenderShares::giveBack(const std::string& sender, const std::string& id)
{
    const auto key = keyOf(sender);
    connection_.command({"ZREM", key, id}, [](const Result<redis::Reply>&) {});
}

}  // namespace restante::sip
