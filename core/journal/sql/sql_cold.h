#pragma once

#include "core/cold/cold_jobs.h"
#include "core/journal/sql/sql_session.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace restante::journal {

/// The tables `cold_job` and `cold_count` (docs/journal.md). Each function is one transaction, in
/// which both stay in step. Functions throw SqlError. *One thread.*

using cold::ColdRow;

/// Writes jobs that are cold from the beginning, with a line of history; of each the row that was
/// there before, which stays, or none.
std::vector<std::optional<ColdRow>>
insertCold(SqlSession& session, const std::vector<ColdRow>& rows, const std::string& worker);

std::vector<ColdRow> readCold(SqlSession& session, const cold::ColdQuery& query);
/// Whatever state they have.
std::vector<ColdRow> findCold(SqlSession& session, const std::vector<std::string>& ids);
std::vector<cold::ColdCount> countCold(SqlSession& session);
std::uint64_t countColdKey(SqlSession& session, const std::string& bizKey);

cold::RowClaim claimCold(SqlSession& session, const std::string& id, std::int64_t nowMs);
void giveColdBack(SqlSession& session, const std::string& id, std::int64_t version);

/// Claims the next jobs of a shard that are due before then, with `nowMs` as their version.
std::vector<ColdRow> claimDueCold(SqlSession& session,
                                  std::uint32_t shard,
                                  std::int64_t dueBefore,
                                  std::size_t limit,
                                  std::int64_t nowMs);
/// Claims rows that were left `entering` once more. Only those that still have their version.
std::vector<ColdRow>
reclaimCold(SqlSession& session, const std::vector<ColdRow>& rows, std::int64_t nowMs);
/// Copies jobs that are about to leave Redis, as `leaving`. Answers the ids that have a row
/// already, which stays.
std::vector<std::string> copyToCold(SqlSession& session, const std::vector<ColdRow>& rows);

/// Of rows that are crossing: what the journal has recorded since.
struct SettledRows {
    std::vector<std::string> out;  ///< `leaving` became `cold`
    std::vector<std::string> in;   ///< `entering` is deleted
};
SettledRows settleCold(SqlSession& session, std::uint32_t shard, std::size_t limit);
/// Rows that have been crossing since before that.
std::vector<ColdRow>
abandonedCold(SqlSession& session, std::uint32_t shard, std::int64_t before, std::size_t limit);
/// `leaving` rows become `cold`, whatever the journal says: Redis has given the jobs away.
void confirmCold(SqlSession& session, const std::vector<ColdRow>& rows, std::int64_t nowMs);
/// `entering` rows of jobs that Redis has, and the journal knows as living: they have come.
void deleteEntered(SqlSession& session, const std::vector<ColdRow>& rows);
/// `leaving` rows that are no copies any more.
void dropCopies(SqlSession& session, const std::vector<ColdRow>& rows);
/// Whether there is a row, whatever state it has.
bool hasColdRows(SqlSession& session);

}  // namespace restante::journal
