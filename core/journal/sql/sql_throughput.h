#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace restante::journal {

class SqlSession;

/// What moved, counted in steps of one length. Empty members do not restrict. *Value.*
struct ThroughputQuery {
    std::string topic = {};
    std::string channel = {};  ///< its name
    TimePoint begin{};         ///< inclusive
    TimePoint end{};           ///< exclusive
    Millis step{1'000};
    std::string after = {};  ///< ThroughputPart::after of the part before
    /// Transitions that one part looks at, and so how long it keeps the database: no index is in
    /// the order of time, because writing one would cost the daemon.
    std::uint32_t most = 50'000;
};

struct ThroughputPart {
    /// Jobs moved in the step that begins then, by transition.
    std::map<std::pair<TimePoint, std::string>, std::uint64_t> moves;
    /// What this part's transitions reach from and to, whenever they were.
    std::optional<TimePoint> earliest;
    std::optional<TimePoint> latest;
    std::string after;  ///< empty: this was the last part
};

/// Parts are added up. Invalid names the field. Throws SqlError.
Result<ThroughputPart> readThroughput(SqlSession& session, const ThroughputQuery& query);

}  // namespace restante::journal
