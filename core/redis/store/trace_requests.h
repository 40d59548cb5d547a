#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace restante::redis {

class Connection;
class ScriptQueue;

/// A request to trace the messages of an address until some time. *Value.*
struct TraceRequest {
    std::string address;  ///< address of record, e.g. sip:bob@example.org
    TimePoint until{};

    friend bool operator==(const TraceRequest&, const TraceRequest&) = default;
};

/// The addresses that every daemon of a store traces, each for a limited time: one ZSET, and a
/// channel on which changes are published. Borrows the connection; answers may come after its end.
/// *One loop.*
class TraceRequests {
public:
    TraceRequests(Connection& connection, std::string_view prefix);

    /// The channel of changes.
    const std::string& channel() const noexcept { return channel_; }

    /// The operator who makes or ends a request, and why; recorded as an event of the first shard
    /// (audit).
    struct Operator {
        std::string actor;
        std::string reason;
    };
    /// Replaces an earlier request for the same address. Answers how many daemons were notified.
    static void put(ScriptQueue& firstShard,
                    const TraceRequest& request,
                    const Operator& by,
                    Done<std::uint64_t> done);
    /// Ends a request, as above; NotFound when there is none for that address.
    static void remove(ScriptQueue& firstShard,
                       const std::string& address,
                       const Operator& by,
                       Done<std::uint64_t> done);
    /// The requests that have not ended, by their end; deletes the others.
    void active(TimePoint now, Done<std::vector<TraceRequest>> done);

private:
    Connection& connection_;
    std::string key_;
    std::string channel_;
};

}  // namespace restante::redis
