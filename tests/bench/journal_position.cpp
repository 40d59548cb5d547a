#include "tests/bench/journal_position.h"

#include "tests/support/eventually.h"

#include <hiredis/hiredis.h>

#include <memory>
#include <stdexcept>

namespace restante::bench {

namespace {

constexpr Millis kRecordingTimeout{600'000};

using ContextPtr = std::unique_ptr<redisContext, void (*)(redisContext*)>;
using ReplyPtr = std::unique_ptr<redisReply, void (*)(void*)>;

ReplyPtr ask(redisContext* redis, const char* command)
{
    ReplyPtr reply(static_cast<redisReply*>(redisCommand(redis, command)), freeReplyObject);
    if (!reply || reply->type == REDIS_REPLY_ERROR) {
        throw std::runtime_error("bench: Redis does not say how far the journal is");
    }
    return reply;
}

/// The newest event id, from an answer to XREVRANGE with COUNT 1; empty without events.
std::string newestOf(const redisReply& reply)
{
    return reply.elements == 0 ? std::string() : std::string(reply.element[0]->element[0]->str);
}

}  // namespace

void awaitRecorded(const std::string& redisSocket)
{
    const ContextPtr redis(redisConnectUnix(redisSocket.c_str()), redisFree);
    if (!redis || redis->err != 0) {
        throw std::runtime_error("bench: cannot connect to " + redisSocket);
    }
    const auto recorded = [&] {
        const auto newest = newestOf(*ask(redis.get(), "XREVRANGE rst:{s0}:events + - COUNT 1"));
        const auto cursor = ask(redis.get(), "HGET rst:{s0}:journal cursor");
        return cursor->str != nullptr && newest == cursor->str;
    };
    if (!test::eventually(recorded, kRecordingTimeout)) {
        throw std::runtime_error("bench: the journal does not get everything");
    }
}

}  // namespace restante::bench
