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

/// One command of a cluster on its way: a copy of it, as it may have to be sent again. *Value.*
struct ClusterErrand {
    using Steady = std::chrono::steady_clock;

    std::uint64_t number = 0;  ///< in the order in which they were given
    std::uint16_t slot = 0;
    std::string bytes;              ///< of all its words, one after the other
    std::vector<std::size_t> ends;  ///< of each word in `bytes`
    Steady::time_point deadline;
    Done<Reply> done;                ///< empty once it has been answered
    std::optional<NodeAddress> ask;  ///< who has to be asked this once
    std::string lastRefusal;
    unsigned redirects = 0;
    bool isScript = false;
    bool loadedScript = false;

    void copy(const Connection::Args& args);
    Connection::Args words() const;
};

/// The commands of one slot that have to wait, in their order. *One loop.*
struct ClusterLane {
    explicit ClusterLane(EventLoop& loop) : pause(loop) {}

    std::map<std::uint64_t, std::shared_ptr<ClusterErrand>> held;
    std::size_t inFlight = 0;
    Timer pause;  ///< armed: until when nothing is sent
    Millis backOff{0};
};

}  // namespace restante::redis
