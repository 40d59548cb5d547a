#pragma once

#include "tests/bench/report.h"

#include <cstdint>
#include <string>

namespace restante::bench {

/// The programs that the rows of the daemon start.
struct Programs {
    std::string self;  ///< this program, as the bare server
    std::string restanted;
    std::string journal;  ///< journal.mode of the daemon beside the bare server, which has none
    bool msilo = false;   ///< Kamailio's msilo as a peer, when it is installed
};

/// Rows of core on the Redis at `redisSocket`, which is emptied. `scale` divides the amounts.
void addQueueRows(Report& report, const std::string& redisSocket, std::uint32_t scale);

/// Rows of the daemon; the bare server uses the Redis at `redisSocket`, the daemon an embedded one
/// with the same `fsync`.
void addSipRows(Report& report,
                const Programs& programs,
                const std::string& redisSocket,
                const std::string& fsync,
                std::uint32_t scale);

/// Rows of the daemon's HTTP interface, with an embedded Redis.
void addHttpRows(Report& report,
                 const Programs& programs,
                 const std::string& fsync,
                 std::uint32_t scale);

/// Rows of the journal: how fast it records, and how fast a lost Redis is rebuilt from it.
void addRecoveryRows(Report& report,
                     const Programs& programs,
                     const std::string& fsync,
                     std::uint32_t scale);

}  // namespace restante::bench
