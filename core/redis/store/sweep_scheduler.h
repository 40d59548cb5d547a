#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/redis/client/connection.h"
#include "core/redis/store/store_sweep.h"

#include <cstdint>
#include <memory>
#include <string>

namespace restante::redis {

class StoreFence;

/// Runs a StoreSweep over the whole store now and then, which repairs what an interrupted script
/// has left: slowly, in a twentieth of Redis' time, and at once, in half of it, after a server that
/// did not end in order. What it finds is logged and counted
/// (`restante_sweep_repairs_total`). Several daemons of one store take turns. Borrows everything.
/// *One loop.*
class SweepScheduler {
public:
    struct Settings {
        std::string prefix = "rst";  ///< `redis.prefix`
        std::uint32_t shards = 1;
        /// While a shard is not served nothing is swept. Null: all are.
        StoreFence* fence = nullptr;
        /// After the start, when nothing speaks for haste.
        Millis firstPause{30'000};
    };

    SweepScheduler(EventLoop& loop, Connection& commands, const Clock& clock, Settings settings);
    SweepScheduler(const SweepScheduler&) = delete;
    SweepScheduler& operator=(const SweepScheduler&) = delete;
    ~SweepScheduler();

    /// Whom to ask about jobs that are lost, from the next sweep on.
    void ask(StoreSweep::PlaceLookup journal);
    /// Redis has come back, or was started from what a crash has left: a sweep begins at once, or
    /// when the one that runs has ended.
    void sweepNow();

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace restante::redis
