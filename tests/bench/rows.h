#pragma once

#include "core/base/clock.h"
#include "tests/bench/cpu_meter.h"
#include "tests/bench/table/report.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace restante::bench {

/// The load of most rows: jobs with bodies of `kBody` bytes, in arrays of `kBatch`, of which
/// `kCallsInFlight` saturate one connection; or one by one, from `kSingleCallers`.
inline constexpr std::size_t kBody = 256;
inline constexpr std::uint32_t kBatch = 100;
inline constexpr std::uint32_t kCallsInFlight = 4;
inline constexpr std::uint32_t kSingleCallers = 64;
/// For what takes minutes: starting a daemon with millions of jobs, or recording them.
inline constexpr Millis kLongTimeout{600'000};

/// The setting in which the rows are measured.
struct Setting {
    std::string self;  ///< this program, as the bare servers
    std::string restanted;
    std::string journal;      ///< journal.mode of the daemon beside the bare server, which has none
    std::string fsync;        ///< of every Redis, and of the peers: always, everysec, no
    std::string bullmq;       ///< the folder where npm has put BullMQ; empty = where -g puts it
    std::uint32_t scale = 1;  ///< divides the amounts: 1 to 100
    /// The Redis of one round for all that have none of their own: the bare sides, the queue rows
    /// and BullMQ. The rows empty it.
    std::string redisSocket;
    WatchedProcess redis;

    /// That many jobs or messages, divided by `scale`, in whole arrays: what is claimed must be
    /// what was pushed.
    std::uint32_t scaled(std::uint32_t amount) const { return amount / scale / kBatch * kBatch; }

    /// Of a Redis that is not embedded, as the embedded one has them.
    std::vector<std::string> redisOptions() const
    {
        return {"--appendfsync",
                fsync,
                "--hash-max-listpack-value",
                "1024",
                "--auto-aof-rewrite-min-size",
                "256mb"};
    }
};

/// One round of the rows of core.
void addQueueRows(Report& report, const Setting& setting);

/// One round of the rows of the daemon, which has an embedded Redis with the same `fsync`.
void addSipRows(Report& report, const Setting& setting);

/// One round of the rows of the daemon's HTTP interface, with an embedded Redis.
void addHttpRows(Report& report, const Setting& setting);

/// One round of the rows of the journal: the daemon with it, beside one without.
void addJournalRows(Report& report, const Setting& setting);

/// One round of the rows of recovery: how fast the journal records, and how fast a lost Redis is
/// rebuilt from it.
void addRecoveryRows(Report& report, const Setting& setting);

/// One round of the queue rows with ten million other jobs pending, beside the same without them,
/// and the start of a daemon whose Redis has them. Needs some 5 GB of RAM.
void addPendingRows(Report& report, const Setting& setting);

/// One round of jobs that are due beyond `queue.hot_horizon`, in a journal in SQLite: pushed beside
/// others that are not, moved into Redis and out of it, and claimed.
void addColdRows(Report& report, const Setting& setting);

/// One round of MESSAGEs to a daemon of one, two and four SIP threads (`sip.threads`), with one
/// shard in one Redis, and with four in four Redis processes (a cluster); and of pushes to one of
/// as many HTTP threads (`http.threads`).
void addThreadRows(Report& report, const Setting& setting);

/// One round beside comparable software, if installed: beanstalkd and BullMQ beside the queue,
/// Kamailio's msilo beside the daemon. A note names what is missing.
void addPeerRows(Report& report, const Setting& setting);

}  // namespace restante::bench
