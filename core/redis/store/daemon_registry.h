#pragma once

#include "core/base/callback_guard.h"
#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/store/shard_queues.h"

#include <string>
#include <string_view>
#include <vector>

namespace restante::redis {

class Connection;

/// A daemon, from its heartbeats in the store. *Value.*
struct DaemonView {
    std::string name;     ///< "host/pid"
    std::string version;  ///< "0.1.0"
    /// Its duties: "sip", "http", "webhook", "sms", "scheduler", "journal", "upkeep" (leases that
    /// lapse, retention, sweeps).
    std::vector<std::string> duties = {};
    /// Duties of loops that have given no heartbeat for kHeartbeatLife; told of as long as the
    /// daemon is.
    std::vector<std::string> silentDuties = {};
    TimePoint since{};      ///< when it began
    TimePoint seen{};       ///< its latest heartbeat
    bool draining = false;  ///< it is shutting down, and claims nothing new

    bool isLiving() const noexcept { return !duties.empty(); }
    /// Whether it delivers jobs, or serves consumers, and is not shutting down.
    bool delivers() const noexcept;
    friend bool operator==(const DaemonView&, const DaemonView&) = default;
};

/// A loop whose last heartbeat is older counts as stopped.
inline constexpr Millis kHeartbeatLife{15'000};

/// Sends the heartbeat of one loop of a daemon, three times in kHeartbeatLife, as long as this
/// lives: a loop that hangs sends none. One store has one hash for all of them, on the first shard
/// (docs/redis-schema.md); after a reconnection one is sent at once; a Redis that was emptied gets
/// it at the next heartbeat. Borrows the loop, the connection and the clock, which is a disciplined
/// one. *One loop*, the one that it reports.
class DaemonHeartbeat {
public:
    struct Settings {
        std::string prefix = "rst";
        std::string daemon;               ///< "host/pid"
        std::string loop;                 ///< one word, unique among the daemon's loops
        std::vector<std::string> duties;  ///< of the loop, a word each; not empty
        Millis every = kHeartbeatLife / 3;
    };

    /// The first one is sent as soon as Redis is there.
    DaemonHeartbeat(EventLoop& loop, Connection& connection, const Clock& clock, Settings settings);
    ~DaemonHeartbeat();

    /// Changes the duties of the loop, and sends them at once.
    void setDuties(std::vector<std::string> duties);
    /// The daemon claims nothing new; sent at once.
    void drain();
    /// The daemon ends, with all its loops; sent at once, and answered when it is stored. This
    /// sends no further heartbeats; those of the other loops must have ended before.
    void leave(Done<void> done);

private:
    void sendHeartbeat();
    std::string state() const;

    Connection& connection_;
    const Clock& clock_;
    Settings settings_;
    ShardQueues firstShard_;
    TimePoint since_{};
    bool draining_ = false;
    bool hasLeft_ = false;
    Timer heartbeatTimer_;
    CallbackGuard callbackGuard_;
};

/// Every daemon that has given a heartbeat in the last hour (in the last day, when none lives that
/// would remove it) and has not said that it ends: the living ones first, then by name. `now` is
/// the store's time.
void readDaemons(Connection& connection,
                 std::string_view prefix,
                 TimePoint now,
                 Done<std::vector<DaemonView>> done);

}  // namespace restante::redis
