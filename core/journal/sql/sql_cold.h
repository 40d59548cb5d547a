#pragma once

#include "core/base/result.h"
#include "core/cold/cold_jobs.h"
#include "core/journal/sql/sql_session.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace restante::journal {

/// The tables `cold_job` and `cold_count` (docs/journal.md). Each function that writes is one
/// transaction; `cold_count` counts the rows of state `cold`. Functions throw SqlError. *One
/// thread.*

using cold::ColdRow;

/// Writes jobs that are pushed as cold, each with a line of history. Returns for each the row that
/// had its id before, which stays, or none; Invalid: the database refuses its values. When it
/// refuses some, the others are written in several transactions.
std::vector<Result<std::optional<ColdRow>>>
insertCold(SqlSession& session, const std::vector<ColdRow>& rows, const std::string& worker);

/// The rows of state `cold` that the query asks for, in its order.
std::vector<ColdRow> readCold(SqlSession& session, const cold::ColdQuery& query);
/// The rows with these ids, in any state.
std::vector<ColdRow> findCold(SqlSession& session, const std::vector<std::string>& ids);
std::vector<cold::ColdCount> countCold(SqlSession& session);
std::uint64_t countColdWithKey(SqlSession& session, const std::string& bizKey);

cold::RowClaim claimCold(SqlSession& session, const std::string& id, std::int64_t nowMs);
void giveColdBack(SqlSession& session, const std::string& id, std::int64_t version);
/// The same for many in one transaction.
void giveColdBack(SqlSession& session, const std::vector<ColdRow>& rows);

/// Claims the next jobs of a shard that are due before `dueBeforeMs`, but for those of `exceptIds`
/// (some thousand at most), with `nowMs` as their version.
std::vector<ColdRow> claimDueCold(SqlSession& session,
                                  std::uint32_t shard,
                                  std::int64_t dueBeforeMs,
                                  std::size_t limit,
                                  std::int64_t nowMs,
                                  const std::vector<std::string>& exceptIds);
/// Claims abandoned `entering` rows again, if they still have their version and the journal has not
/// recorded since that the jobs came.
std::vector<ColdRow>
reclaimCold(SqlSession& session, const std::vector<ColdRow>& rows, std::int64_t nowMs);
/// Copies jobs that are about to leave Redis, as `leaving`. Returns the ids that already have
/// another row, which stays, and those whose values the database refuses, with an error in the log.
std::vector<std::string> copyToCold(SqlSession& session, const std::vector<ColdRow>& rows);

/// Crossing rows whose move the journal has recorded since.
struct SettledRows {
    std::vector<std::string> out;  ///< `leaving` became `cold`
    std::vector<std::string> in;   ///< `entering` is deleted
};
SettledRows settleCold(SqlSession& session, std::uint32_t shard, std::size_t limit);
/// Rows that have been crossing since before `beforeMs`, the oldest claims first.
std::vector<ColdRow>
abandonedCold(SqlSession& session, std::uint32_t shard, std::int64_t beforeMs, std::size_t limit);
/// How many rows of the shard are `leaving` or `entering`.
std::size_t countCrossingCold(SqlSession& session, std::uint32_t shard);
/// Makes `leaving` rows `cold`, whatever the journal says, because the jobs have left Redis.
void confirmCold(SqlSession& session, const std::vector<ColdRow>& rows, std::int64_t nowMs);
/// Deletes `entering` rows of jobs that are in Redis, if the journal has these, and not as cold,
/// done or gone.
void deleteEntered(SqlSession& session, const std::vector<ColdRow>& rows);
/// Deletes `entering` rows of jobs that have come into Redis and ended there, and ends in the
/// journal those that it has as cold.
void deleteEnded(SqlSession& session, const std::vector<ColdRow>& rows, std::int64_t nowMs);
/// Deletes `leaving` rows whose jobs are still in Redis, or have ended; not those that have left by
/// the journal.
void dropCopies(SqlSession& session, const std::vector<ColdRow>& rows);
/// Whether there is a row in any state.
bool hasColdRows(SqlSession& session);

}  // namespace restante::journal
