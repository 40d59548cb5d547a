#include "core/redis/store/trace_requests.h"

#include "core/base/text.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"

#include <utility>

namespace restante::redis {

namespace {

/// `until` in ms; empty = ends the request.
void sendTrace(ScriptQueue& firstShard,
               const std::string& address,
               const std::string& until,
               const TraceRequests::Operator& by,
               Done<std::uint64_t> done)
{
    firstShard.add(script("trace"), {}, {address, until, by.actor, by.reason},
                   [address, done = std::move(done)](const Result<Reply>& reply) {
                       done(reply.and_then([&](const Reply& answer) -> Result<std::uint64_t> {
                           const auto* notified = answer.integer();
                           if (notified == nullptr) {
                               return failure(ErrorCode::NotFound, address + " is not traced");
                           }
                           return static_cast<std::uint64_t>(*notified);
                       }));
                   });
}

/// Reads addresses and scores in turn; skips invalid pairs.
std::vector<TraceRequest> requestsOf(const Reply& reply)
{
    std::vector<TraceRequest> requests;
    for (std::size_t i = 0; i + 1 < reply.size(); i += 2) {
        const auto* address = reply.at(i).text();
        const auto ms = wholeNumber<std::int64_t>(reply.at(i + 1).textOrEmpty());
        if (address != nullptr && ms) {
            requests.push_back({*address, fromEpochMs(*ms)});
        }
    }
    return requests;
}

}  // namespace

TraceRequests::TraceRequests(Connection& connection, std::string_view prefix)
    : connection_(connection),
      key_(shardPrefix(prefix, 0) + "traces"),
      channel_(shardPrefix(prefix, 0) + "traced")
{
}

void TraceRequests::put(ScriptQueue& firstShard,
                        const TraceRequest& wanted,
                        const Operator& by,
                        Done<std::uint64_t> done)
{
    sendTrace(firstShard, wanted.address, std::to_string(toEpochMs(wanted.until)), by,
              std::move(done));
}

void TraceRequests::remove(ScriptQueue& firstShard,
                           const std::string& address,
                           const Operator& by,
                           Done<std::uint64_t> done)
{
    sendTrace(firstShard, address, {}, by, std::move(done));
}

void TraceRequests::active(TimePoint now, Done<std::vector<TraceRequest>> done)
{
    const auto nowMs = std::to_string(toEpochMs(now));
    connection_.command({"ZREMRANGEBYSCORE", key_, "-inf", nowMs}, [](const Result<Reply>&) {});
    connection_.command({"ZRANGEBYSCORE", key_, "(" + nowMs, "+inf", "WITHSCORES"},
                        mapped<Reply>(std::move(done), requestsOf));
}

}  // namespace restante::redis
