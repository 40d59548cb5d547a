#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/store/shard_queues.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante::redis {

class Connection;
class ServingGate;

/// What a sweep has looked at and found; without Mode::Look it has put right all but what is
/// unreadable. *Value.*
struct SweepReport {
    std::uint64_t jobs = 0;             ///< records looked at
    std::uint64_t lost = 0;             ///< jobs in no set: put back
    std::uint64_t doubled = 0;          ///< jobs in several sets: in one now
    std::uint64_t partial = 0;          ///< jobs with a missing entry beside their place: completed
    std::uint64_t stray = 0;            ///< ids without a job, entry by entry: taken out
    std::uint64_t unreadable = 0;       ///< records that this program does not know: left alone
    bool whole = true;                  ///< false: Settings::most was reached before the end
    std::vector<std::string> examples;  ///< "lost 01HF...", the first twenty

    std::uint64_t found() const noexcept { return lost + doubled + partial + stray; }
};

/// Where the journal saw a job last. *Value*; the words of core/lua/repair.lua.
struct JournalledState {
    std::string id;
    std::string state;  ///< "scheduled", "held", "dead", "trashed", "done"
    std::string score;  ///< of its lane, of the dead or trashed
    std::string arrival;
    std::string next;
    std::string origin;
};

/// Goes once through all that a store holds of jobs and puts right what a script cut short has
/// left: when Redis starts from a torn append-only file that nobody has made whole
/// (append_only_file.h). docs/operations.md lists what that can be. A page at a time, so others are
/// served in between; what it changes is decided in one script a job, so nothing that moves
/// meanwhile is taken for broken, and a job that is not as it was found is left to the next sweep.
/// May run beside daemons and beside other sweeps.
///
/// Borrows everything, the queues of all shards too. *One loop.*
class StoreSweep {
public:
    enum class Mode {
        Repair,
        Look,  ///< only counts
    };
    struct Settings {
        std::string prefix = "rst";
        Mode mode = Mode::Repair;
        /// So many times as long as a page took it rests before the next one.
        std::uint32_t pauseFactor = 0;
        std::uint64_t most = 0;           ///< jobs looked at, about; 0 = all
        std::string actor = "restanted";  ///< for the history
        std::string reason = {};          ///< and why, behind what was wrong; may be empty
    };
    /// Asks the journal about jobs in no set; those that it does not know are left out. An error is
    /// as if it knew none.
    using PlaceLookup =
        std::function<void(std::vector<std::string> ids, Done<std::vector<JournalledState>> done)>;

    static std::shared_ptr<StoreSweep> make(EventLoop& loop,
                                            Connection& commands,
                                            const ShardQueues& shards,
                                            Settings settings,
                                            PlaceLookup journal = {});
    /// It is not answered any more.
    virtual ~StoreSweep() = default;

    /// Called once. The error is the first that Redis had; what was put right by then stays so.
    virtual void run(Done<SweepReport> done) = 0;
};

/// Runs a StoreSweep over the whole store now and then, which repairs what an interrupted script
/// has left: slowly, in a twentieth of Redis' time, and at once, in half of it, after a server that
/// did not end in order. What it finds is logged and counted
/// (`restante_sweep_repairs_total`). Several daemons of one store take turns. Borrows everything.
/// *One loop.*
class SweepScheduler {
public:
    struct Settings {
        std::string prefix = "rst";  ///< `redis.prefix`
        std::uint32_t shards = 1;
        /// While a shard is not served nothing is swept. Null: all are.
        ServingGate* gate = nullptr;
        /// After the start, when nothing speaks for haste.
        Millis firstPause{30'000};
    };

    static std::shared_ptr<SweepScheduler>
    make(EventLoop& loop, Connection& commands, const Clock& clock, Settings settings);
    virtual ~SweepScheduler() = default;

    /// Whom to ask about jobs that are lost, from the next sweep on.
    virtual void setJournalLookup(StoreSweep::PlaceLookup journal) = 0;
    /// Redis has come back, or was started from what a crash has left: a sweep begins at once, or
    /// when the one that runs has ended.
    virtual void sweepNow() = 0;
};

}  // namespace restante::redis
