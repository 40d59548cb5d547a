#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/client/redis_url.h"

#include <cstdint>
#include <memory>
#include <string>

namespace restante::redis {

class Connection;

class ServingGate;

/// How far the journal has committed each shard, and who waits for it. Whoever records a shard
/// publishes that (`Kcommitted`) and notes it (`Kjournal`), so it does not matter which process it
/// is. *One loop*; borrows everything.
class CommitWatch {
public:
    struct Settings {
        RedisUrl url;  ///< for a connection of its own, which it subscribes
        std::string prefix = "rst";
        std::uint32_t shards = 1;
        std::string name = "restante-durable";
        /// Whoever waits learns that the store was lost or exchanged meanwhile. Borrowed.
        const ServingGate* gate = nullptr;
        /// Of await(): a 503 must leave within 2 s.
        Millis timeout{1'200};
        /// A recorder that has published nothing for so long is down: longer than its interval.
        Millis recorderTimeout{4'000};
    };

    static std::shared_ptr<CommitWatch>
    make(EventLoop& loop, Connection& commands, Settings settings);
    /// Who still waits is not answered any more.
    virtual ~CommitWatch() = default;

    /// Whoever records the shard says that its database does not answer, or says nothing.
    virtual bool isDown(std::uint32_t shard) const = 0;
    /// For any of the shards.
    virtual bool isDown() const = 0;

    /// Answers once everything that is in the shard's stream now is committed; Unavailable when
    /// that does not come in time, or the store is not any more the one that has just answered.
    virtual void await(std::uint32_t shard, Done<void> done) = 0;

    /// What is answered while the journal is down.
    static tl::unexpected<Error> downError();
};

}  // namespace restante::redis
