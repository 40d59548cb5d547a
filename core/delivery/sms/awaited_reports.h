#pragma once

#include "core/base/callback_guard.h"
#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/store/shard_queues.h"

#include <cstdint>
#include <string>
#include <vector>

namespace restante::redis {
class Connection;
struct Reply;
}  // namespace restante::redis

namespace restante::sms {

/// One attempt whose message a gateway may have taken. *Value.*
struct SentAttempt {
    std::string id;
    std::uint32_t attempt = 0;
};

/// Which attempts wait for a delivery report, in Redis (`Kreports`), so that any daemon can take
/// the report or give up waiting for it; and the tokens that prove a report. Their secret is in
/// Redis too, made by whoever needs it first, so that all daemons agree. Borrows loop,
/// connection and clock. *One loop.*
class AwaitedReports {
public:
    AwaitedReports(EventLoop& loop,
                   redis::Connection& connection,
                   const Clock& clock,
                   std::string prefix,
                   std::uint32_t shards);
    ~AwaitedReports();

    /// Notes that a report on `sent` is awaited until `until`; answers the token it must bring. To
    /// be called before the message is sent, because the report may come before the gateway's
    /// answer. Works in a Redis without memory, too, once the store has its secret.
    void expect(SentAttempt sent, TimePoint until, Done<std::string> done);
    /// Stops awaiting the report. Reports no failure, because a remaining entry does no harm.
    void forget(const SentAttempt& sent);
    /// Whether `token` is the one that expect() answered for `sent`.
    void verify(SentAttempt sent, std::string token, Done<bool> done);
    /// At most `max` of each shard that were awaited until `now` or earlier. A shard that cannot be
    /// asked is left out, with a warning in the log: the others must not wait for it.
    void findOverdue(TimePoint now, std::uint32_t max, Done<std::vector<SentAttempt>> done);

private:
    std::string keyOf(std::uint32_t shard) const;
    std::string keyOfJob(const std::string& id) const;
    void command(const std::vector<std::string>& words, Done<redis::Reply> done);
    /// The secret that all daemons share: made by the first, read by the others.
    void withSecret(Done<std::string> done);
    void warnOfHiddenOverdue(const std::string& reason, TimePoint now);

    EventLoop& loop_;
    redis::Connection& connection_;
    std::string prefix_;
    std::uint32_t shards_;
    redis::ShardQueues shardQueues_;
    std::string secret_ = {};
    TimePoint nextWarning_{};
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sms
