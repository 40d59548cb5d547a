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

/// The result of a sweep; except with Mode::ReportOnly it has repaired all but the
/// unreadable records and those that it left. *Value.*
struct SweepReport {
    std::uint64_t jobs = 0;             ///< records examined
    std::uint64_t lost = 0;             ///< jobs in no set: put into one
    std::uint64_t doubled = 0;          ///< jobs in several sets: left in one
    std::uint64_t partial = 0;          ///< jobs that lack an entry besides their set: completed
    std::uint64_t stray = 0;            ///< entries whose id has no job: removed
    std::uint64_t unreadable = 0;       ///< records in an unknown format: left alone
    std::uint64_t left = 0;             ///< jobs in no set whose journal could not be asked
    std::string journalProblem;         ///< why it could not
    bool isComplete = true;             ///< false: Settings::maxJobs was reached before the end
    std::vector<std::string> examples;  ///< "lost 01HF...", the first twenty

    /// All but the unreadable ones and those that were left.
    std::uint64_t faults() const noexcept { return lost + doubled + partial + stray; }
};

/// The last state of a job in the journal, as core/lua/repair.lua takes it. *Value.*
struct JournalledState {
    std::string id;
    std::string state;  ///< "scheduled", "held", "dead", "trashed", "done"; empty = unknown
    std::string score;  ///< in its lane, or in the set of its state
    std::string arrival;
    std::string next;  ///< of a held one: the next attempt, "+inf" = at the next registration
    std::string origin;
};

/// Scans all jobs of a store once and repairs the effects of scripts that were executed in part,
/// which happens when Redis starts from a torn append-only file that was not repaired
/// (append_only_file.h). docs/torn-file.md lists the possible faults. It works page by page, so
/// that others are served in between; each repair is one script, so that a job that moves meanwhile
/// is not taken for faulty, and a job that has changed is left to the next sweep. May run beside
/// daemons and other sweeps.
///
/// Borrows everything, the queues of all shards too. *One loop.*
class StoreSweep {
public:
    enum class Mode {
        Repair,
        ReportOnly,  ///< only counts
    };
    struct Settings {
        std::string prefix = "rst";
        Mode mode = Mode::Repair;
        /// The rest after each page, as a multiple of the time that the page took.
        std::uint32_t pauseFactor = 0;
        std::uint64_t maxJobs = 0;        ///< how many jobs to examine, roughly; 0 = all
        std::string actor = "restanted";  ///< for the history
        std::string reason = {};          ///< also for the history, after the fault; may be empty
    };
    /// Looks up jobs that are in no set in the journal; unknown ones are missing in the answer.
    /// After an error they are left to the next sweep: without the journal those that had ended
    /// or are to wait would be delivered.
    using JournalLookup =
        std::function<void(std::vector<std::string> ids, Done<std::vector<JournalledState>> done)>;

    static std::shared_ptr<StoreSweep> make(EventLoop& loop,
                                            Connection& commands,
                                            const ShardQueues& shards,
                                            Settings settings,
                                            JournalLookup journal = {});
    /// run() is not answered any more.
    virtual ~StoreSweep() = default;

    /// Called once. The error is the first one of Redis; repairs made by then stay.
    virtual void run(Done<SweepReport> done) = 0;
    /// What it has found and repaired by now; also what a failed run has. Empty once run() has been
    /// answered with a report.
    virtual const SweepReport& report() const = 0;
};

/// Runs a StoreSweep over the whole store from time to time: slowly, with a twentieth of Redis'
/// time, but at once, with half of it, after a server that did not shut down cleanly. Findings are
/// logged and counted (`restante_sweep_repairs_total`). Several daemons of one store take turns.
/// Borrows everything. *One loop.*
class SweepScheduler {
public:
    struct Settings {
        std::string prefix = "rst";  ///< `redis.prefix`
        std::uint32_t shards = 1;
        /// While a shard is not served nothing is swept. Null: all are.
        ServingGate* gate = nullptr;
        /// Before the first sweep, unless sweepNow() is called.
        Millis firstPause{30'000};
    };

    static std::shared_ptr<SweepScheduler>
    make(EventLoop& loop, Connection& commands, const Clock& clock, Settings settings);
    virtual ~SweepScheduler() = default;

    /// The look-up of lost jobs, from the next sweep on.
    virtual void setJournalLookup(StoreSweep::JournalLookup journal) = 0;
    /// Sweeps at once, or when the current sweep has ended: Redis has come back, or was started
    /// after a crash.
    virtual void sweepNow() = 0;
};

}  // namespace restante::redis
