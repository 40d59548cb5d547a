#pragma once

#include <memory>
#include <vector>

namespace restante {
class Clock;
class EventLoop;
}  // namespace restante

namespace restante::redis {

class ScriptQueue;

/// The queues of a store's shards, in order. Their destructors answer all pending calls.
using ShardQueues = std::vector<std::unique_ptr<ScriptQueue>>;

/// References for queries of all shards; all of them outlive the answers.
struct ShardAccess {
    EventLoop& loop;
    const ShardQueues& queues;
    const Clock& clock;
};

}  // namespace restante::redis
