#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/client/cluster_map.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace restante::redis {

/// A command to a cluster that has no reply yet: a copy, as it may have to be sent again. *Value.*
struct PendingCommand {
    using Steady = std::chrono::steady_clock;

    std::uint64_t number = 0;  ///< in the order in which they were given
    std::uint16_t slot = 0;
    std::string bytes;              ///< of all its words, one after the other
    std::vector<std::size_t> ends;  ///< of each word in `bytes`
    Steady::time_point deadline;
    Done<Reply> done;                ///< empty once it has been answered
    std::optional<NodeAddress> ask;  ///< the node to ask this once (ASK)
    std::string lastRefusal;
    unsigned redirects = 0;
    bool isScript = false;
    bool loadedScript = false;

    void copy(const Connection::Args& args);
    Connection::Args words() const;
};

/// The commands of one slot that have to wait, in their order. *One loop.*
struct SlotQueue {
    explicit SlotQueue(EventLoop& loop) : pause(loop) {}

    std::map<std::uint64_t, std::shared_ptr<PendingCommand>> held;
    std::size_t inFlight = 0;
    Timer pause;  ///< armed: until when nothing is sent
    Millis backOff{0};
};

}  // namespace restante::redis
