#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/store/appended_event.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace restante::redis {

class CommitNotices;
class Connection;
class ServingGate;

/// Waits until the journal has committed the events of a shard. The recorder of a shard publishes
/// its progress (`Kcommitted`) and stores it (`Kjournal`), so it may be in any process; one in this
/// process is heard of sooner. *One loop*; borrows everything.
class CommitWatch {
public:
    struct Settings {
        RedisUrl url;  ///< for a subscription of its own
        std::string prefix = "rst";
        std::uint32_t shards = 1;
        std::string name = "restante-durable";
        /// Detects that the store was lost or exchanged while callers wait. Borrowed.
        ServingGate* gate = nullptr;
        /// What recorders of this process tell; null, or without a gate, all is heard from Redis.
        /// Borrowed.
        CommitNotices* notices = nullptr;
        /// Of await(): a 503 must leave within 2 s.
        Millis timeout{1'200};
        /// A recorder that has published nothing for this time is down; longer than its interval.
        /// It is heard of, too, when it has compared the shard, which gives that a new token.
        Millis recorderTimeout{4'000};
    };

    static std::shared_ptr<CommitWatch>
    make(EventLoop& loop, Connection& commands, Settings settings);
    /// Pending calls are not answered any more.
    virtual ~CommitWatch() = default;

    /// Whether the recorder of the shard says that its database does not answer, or is silent.
    virtual bool isDown(std::uint32_t shard) const = 0;
    /// Whether it is down for any shard.
    virtual bool isDown() const = 0;

    /// Answers once `event` is committed, or, when the caller does not know it, everything that is
    /// in the shard's stream now; Unavailable when that takes too long, or when the store has been
    /// lost or exchanged: `event` is of the store of its own token.
    virtual void
    await(std::uint32_t shard, const std::optional<AppendedEvent>& event, Done<void> done) = 0;

    /// The error while the journal is down.
    static tl::unexpected<Error> downError();
};

}  // namespace restante::redis
