#pragma once

#include <memory>
#include <vector>

namespace restante {
class Clock;
class EventLoop;
}  // namespace restante

namespace restante::redis {

class ScriptQueue;

/// The shards of a store, in order. They outlive the answers to what they are asked, which their
/// end gives, too.
using ShardQueues = std::vector<std::unique_ptr<ScriptQueue>>;

/// What questions to all shards need; all of it outlives their answers.
struct ShardAccess {
    EventLoop& loop;
    const ShardQueues& queues;
    const Clock& clock;
};

}  // namespace restante::redis
