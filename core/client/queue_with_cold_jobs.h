#pragma once

#include "core/base/interface.h"
#include "core/client/queue.h"

namespace restante {

class EpollLoop;
struct Config;

namespace redis {
class RedisQueue;
}

/// The queue of a store whose cold jobs can be read: core/journal/client has one. *One loop.*
class QueueWithColdJobs : public Interface {
public:
    virtual DelayQueue& queue() = 0;
};

/// What a ColdJobsOpener makes a QueueWithColdJobs of, and what outlives that.
struct ColdJobsContext {
    EpollLoop& loop;
    redis::RedisQueue& redis;
    const Config& config;  ///< with the shards that the store has
    Millis horizon;        ///< a push that is due later goes to the journal alone; 0 = none does
};

}  // namespace restante
