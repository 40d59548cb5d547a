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
    std::string address;  ///< of record, e.g. sip:bob@example.org
    TimePoint until{};

    friend bool operator==(const TraceRequest&, const TraceRequest&) = default;
};

/// What every daemon of a store is to trace, each address for a limited time: one ZSET, and a
/// channel on which changes are published. Borrows the connection; answers may come after its end.
/// *One loop.*
class TraceRequests {
public:
    TraceRequests(Connection& connection, std::string_view prefix);

    /// Where each change is published.
    const std::string& channel() const noexcept { return channel_; }

    /// Who makes or ends a request, and why: an event of the first shard, for the audit.
    struct By {
        std::string actor;
        std::string reason;
    };
    /// Takes the place of an earlier request for the same address. Answers how many daemons were
    /// told. `first` is the queue of the store's first shard.
    static void
    put(ScriptQueue& first, const TraceRequest& request, const By& by, Done<std::uint64_t> done);
    /// The same; NotFound when there is no request for that address.
    static void
    remove(ScriptQueue& first, const std::string& address, const By& by, Done<std::uint64_t> done);
    /// Those that have not ended, the first to end first; the others are forgotten.
    void active(TimePoint now, Done<std::vector<TraceRequest>> done);

private:
    Connection& connection_;
    std::string key_;
    std::string channel_;
};

}  // namespace restante::redis
