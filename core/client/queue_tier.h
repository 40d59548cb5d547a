#pragma once

#include "core/base/interface.h"
#include "core/client/queue.h"

namespace restante {

class EpollLoop;
struct Config;

namespace redis {
class RedisQueue;
}

/// The queue of a store of which a part is not in Redis. *One loop.*
class QueueTier : public Interface {
public:
    virtual DelayQueue& queue() = 0;
};

/// What a QueueTier stands on; lives longer than it.
struct QueueBase {
    EpollLoop& loop;
    redis::RedisQueue& redis;
    const Config& config;  ///< with the shards that the store has
    Millis horizon;        ///< jobs that are due later are in the journal alone; 0 = no more
};

}  // namespace restante
