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

/// That the messages of somebody are to be traced for a while. *Value.*
struct TraceOrder {
    std::string address;  ///< of record, e.g. sip:bob@example.org
    TimePoint until{};

    friend bool operator==(const TraceOrder&, const TraceOrder&) = default;
};

/// Who is to be traced by every daemon of a store for as long as was asked: one ZSET, and a channel
/// that says that it has changed. Borrows the connection; answers may come after its end. *One
/// loop.*
class TraceOrders {
public:
    TraceOrders(Connection& connection, std::string_view prefix);

    /// Where each change is published.
    const std::string& channel() const noexcept { return channel_; }

    /// Who gives or ends an order, and why: an event of the first shard, for the audit.
    struct By {
        std::string actor;
        std::string reason;
    };
    /// Takes the place of an earlier order for the same address. Answers how many daemons were
    /// told. `first` is the queue of the store's first shard.
    static void
    put(ScriptQueue& first, const TraceOrder& order, const By& by, Done<std::uint64_t> done);
    /// The same; NotFound when there is no order for that address.
    static void
    remove(ScriptQueue& first, const std::string& address, const By& by, Done<std::uint64_t> done);
    /// Those that have not ended, the first to end first; the others are forgotten.
    void living(TimePoint now, Done<std::vector<TraceOrder>> done);

private:
    Connection& connection_;
    std::string key_;
    std::string channel_;
};

}  // namespace restante::redis
