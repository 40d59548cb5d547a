#include "core/journal/cold/store_with_cold_jobs.h"

#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/keys.h"

#include <utility>

namespace restante::journal {

namespace {

/// `identity` is that of the store's first shard, empty = it has none.
Result<void> checkIdentity(const std::string& identity, const std::optional<Position>& position)
{
    if (identity.empty()) {
        return failure(ErrorCode::Unavailable,
                       "no restanted has compared the store with its journal yet");
    }
    if (!position) {
        return failure(ErrorCode::Conflict, "it is no journal of a store yet");
    }
    if (position->identity != identity) {
        return failure(ErrorCode::Conflict, "it is the journal of another store");
    }
    return {};
}

}  // namespace

StoreWithColdJobs::StoreWithColdJobs(const HotStore& hot,
                                     JournalUrl url,
                                     Millis horizon,
                                     const DelayQueue::Settings& settings)
    : jobs_(hot.loop, std::move(url)),
      store_(hot.loop, hot.clock, hot.store, hot.shards, jobs_, {horizon, settings.shards}),
      inspector_(hot.clock, hot.inspector, hot.shards, jobs_),
      queue_(store_, hot.clock, settings)
{
}

void checkColdJournal(EventLoop& loop,
                      SqlThread& sql,
                      redis::Connection& connection,
                      const std::string& prefix,
                      Done<void> done,
                      std::function<void()> onStoreAnswered)
{
    const auto onIdentity = [&loop, &sql, done = std::move(done),
                             onStoreAnswered =
                                 std::move(onStoreAnswered)](const Result<redis::Reply>& reply) {
        if (!reply) {
            return done(tl::unexpected(reply.error()));
        }
        if (onStoreAnswered) {
            onStoreAnswered();
        }
        sql.ask<std::optional<Position>>(
            loop, [](SqlJournal& journal) { return journal.position(0); },
            [identity = std::string(reply->textOrEmpty()),
             done](const Result<std::optional<Position>>& position) {
                done(position.and_then(
                    [&](const auto& recorded) { return checkIdentity(identity, recorded); }));
            });
    };
    connection.command({"HGET", redis::shardPrefix(prefix, 0) + "store", "identity"}, onIdentity);
}

}  // namespace restante::journal
