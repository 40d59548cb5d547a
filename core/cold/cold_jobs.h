#pragma once

#include "core/base/clock.h"
#include "core/base/interface.h"
#include "core/base/result.h"
#include "core/job/job.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::cold {

/// The state of a row of the table `cold_job` (docs/decisions/0042-cold-jobs.md).
enum class ColdState {
    Leaving,   ///< a copy of a job that is still in Redis, until Redis has given it up
    Cold,      ///< the job itself
    Entering,  ///< it is being moved into Redis
};

/// A row of the table. *Value.*
struct ColdRow {
    std::string id;
    std::uint32_t shard = 0;
    ColdState state = ColdState::Cold;
    std::int64_t dueMs = 0;
    std::uint32_t dueOrder = 0;  ///< among the jobs due in the same ms, in 1/4096
    std::uint32_t attempts = 0;  ///< attempts that have ended
    std::uint32_t attemptOffset = 0;
    std::string lastError = {};
    std::string record = {};   ///< docs/redis-schema.md, "The record"
    std::int64_t version = 0;  ///< ms of its insert or of its latest claim
    bool mayReuseId = false;   ///< for an insert: an earlier job may have had the id
};

/// The row as a scheduled job. Internal when its record cannot be read.
Result<JobView> viewOf(const ColdRow& row);
/// Its score in a lane.
std::string scoreOf(const ColdRow& row);
/// The row's due time and order from a score.
void setScore(ColdRow& row, std::string_view score);

/// Selects rows of state Cold, in the order of due time and id. Empty lists do not restrict.
/// *Value.*
struct ColdQuery {
    std::vector<std::string> ids = {};
    std::vector<std::string> bizKeys = {};
    std::vector<Channel> channels = {};
    std::vector<std::string> topics = {};
    bool descending = false;
    std::optional<std::pair<std::int64_t, std::string>> behind = {};  ///< due and id of the last
    std::uint64_t offset = 0;
    std::uint32_t limit = 100;
};

struct ColdCount {
    Channel channel = Channel::Pull;
    std::string topic;
    std::uint64_t jobs = 0;
};

/// The result of the claim of a row.
struct RowClaim {
    enum class Status {
        Claimed,   ///< it is `entering`, and the caller moves it into Redis
        Absent,    ///< there is no row
        Crossing,  ///< it is being moved already
    };
    Status status = Status::Absent;
    ColdRow row = {};
};

/// Queries of the table of cold jobs, and moves of single jobs. Unavailable: the database does not
/// answer; a write may still have been made. *One loop.*
class ColdJobs : public Interface {
public:
    /// Answers once the row is committed: none, or the row that had the id before, which stays.
    /// Invalid: the database refuses its values.
    virtual void insert(ColdRow row, Done<std::optional<ColdRow>> done) = 0;
    virtual void find(std::string id, Done<std::optional<ColdRow>> done) = 0;
    /// `cold` becomes `entering`, with `now` as its version.
    virtual void claim(std::string id, TimePoint now, Done<RowClaim> done) = 0;
    /// `entering` becomes `cold` again if it has that version: Redis has refused it.
    virtual void giveBack(std::string id, std::int64_t version, Done<void> done) = 0;
    virtual void page(ColdQuery query, Done<std::vector<ColdRow>> done) = 0;
    virtual void counts(Done<std::vector<ColdCount>> done) = 0;
    virtual void countByKey(std::string bizKey, Done<std::uint64_t> done) = 0;
};

/// How long after its claim a row may still be moved into Redis, by Redis' clock. Others take a
/// claim over only when it is twice as old.
inline constexpr Millis kClaimLifetime{10'000};
inline constexpr Millis kClaimTakeoverAge = 2 * kClaimLifetime;

}  // namespace restante::cold
