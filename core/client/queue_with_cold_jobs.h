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

/// What a ColdJobsOpener gets to make one of; lives longer than what it makes.
struct ColdJobsContext {
    EpollLoop& loop;
    redis::RedisQueue& redis;
    const Config& config;  ///< with the shards that the store has
    Millis horizon;        ///< jobs that are due later are in the journal alone; 0 = no more
};

}  // namespace restante
