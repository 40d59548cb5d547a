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

/// A daemon as the store knows it. *Value.*
struct DaemonView {
    std::string name;     ///< "host/pid"
    std::string version;  ///< "0.1.0"
    /// What it does: "sip", "http", "webhook", "sms", "scheduler", "journal", "upkeep" (leases that
    /// lapse, retention, sweeps).
    std::vector<std::string> duties = {};
    /// What it should do, but the loop that does it has given no heartbeat for kHeartbeatLife.
    std::vector<std::string> silent = {};
    TimePoint since{};      ///< when it began
    TimePoint seen{};       ///< its latest heartbeat
    bool draining = false;  ///< it ends, and takes nothing new

    bool isLiving() const noexcept { return !duties.empty(); }
    /// Whether it takes what is due to people or programs, or gives it to those who ask.
    bool delivers() const noexcept;
    friend bool operator==(const DaemonView&, const DaemonView&) = default;
};

/// A loop whose last heartbeat is older does not count as turning.
inline constexpr Millis kHeartbeatLife{15'000};

/// Says for one loop of a daemon that it turns, three times in kHeartbeatLife, as long as this
/// lives: so a loop that hangs is silent. One store has one hash for all of them, on the first
/// shard (docs/redis-schema.md); a Redis that was away hears it at once, one that was emptied at
/// the next heartbeat. Borrows the loop, the connection and the clock, which is Redis' and has been
/// told its time. *One loop*, the one that it is about.
class DaemonHeartbeat {
public:
    struct Settings {
        std::string prefix = "rst";
        std::string daemon;               ///< "host/pid"
        std::string loop;                 ///< one word, unlike those of the daemon's other loops
        std::vector<std::string> duties;  ///< what the loop does, a word each; not empty
        Millis every = kHeartbeatLife / 3;
    };

    /// The first one is sent as soon as Redis is there.
    DaemonHeartbeat(EventLoop& loop, Connection& connection, const Clock& clock, Settings settings);
    ~DaemonHeartbeat();

    /// What the loop does from now on, which is told at once.
    void setDuties(std::vector<std::string> duties);
    /// The daemon takes nothing new, which is told at once.
    void drain();
    /// The daemon ends, with all its loops, which is told at once; the answer says when. There are
    /// no further heartbeats of this one; those of the other loops have ended before.
    void leave(Done<void> done);

private:
    void beat();
    std::string state() const;

    Connection& connection_;
    const Clock& clock_;
    Settings settings_;
    ShardQueues first_;
    TimePoint since_{};
    bool draining_ = false;
    bool left_ = false;
    Timer next_;
    CallbackGuard callbackGuard_;
};

/// Every daemon that has given a heartbeat in the last hour and has not said that it ends: the
/// living ones first, then by name. `now` is the store's time.
void readDaemons(Connection& connection,
                 std::string_view prefix,
                 TimePoint now,
                 Done<std::vector<DaemonView>> done);

}  // namespace restante::redis
