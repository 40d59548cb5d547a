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

/// Where a row of the table `cold_job` stands (docs/decisions/0042-cold-jobs.md).
enum class ColdState {
    Leaving,   ///< a copy of a job that Redis has, until Redis says that it gave it away
    Cold,      ///< the job itself
    Entering,  ///< somebody brings it into Redis
};

/// A job as the table has it. *Value.*
struct ColdRow {
    std::string id;
    std::uint32_t shard = 0;
    ColdState state = ColdState::Cold;
    std::int64_t dueMs = 0;
    std::uint32_t dueOrder = 0;  ///< among the jobs due in the same ms, in 1/4096
    std::uint32_t attempts = 0;  ///< that are over
    std::uint32_t attemptOffset = 0;
    std::string lastError = {};
    std::string record = {};   ///< docs/redis-schema.md, "The record"
    std::int64_t version = 0;  ///< ms of the claim that wrote or moved it last
    bool remembersId = false;  ///< of an insert: the id may have had a job before
};

/// The row as people see it: scheduled. Internal when its record cannot be read.
Result<JobView> viewOf(const ColdRow& row);
/// Its score in a lane.
std::string scoreOf(const ColdRow& row);
/// The row's due time and order from a score.
void setScore(ColdRow& row, std::string_view score);

/// Which rows, by due time and id, or by id where ids or keys lead to them. Only jobs that are
/// cold; empty lists do not restrict. *Value.*
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

/// What a claim of one row has come to.
struct TakenRow {
    enum class Status {
        Taken,     ///< it is `entering`, and the caller brings it in
        Absent,    ///< there is no row
        Crossing,  ///< it is between the two already
    };
    Status status = Status::Absent;
    ColdRow row = {};
};

/// The table of cold jobs, for whoever looks at it or moves a single job. Unavailable: the database
/// does not answer; what was asked of it may have been done. *One loop.*
class ColdJobs : public Interface {
public:
    /// Answers once the row is committed: none, or the row that was there before, which stays.
    virtual void insert(ColdRow row, Done<std::optional<ColdRow>> done) = 0;
    virtual void find(std::string id, Done<std::optional<ColdRow>> done) = 0;
    /// `cold` becomes `entering`, with `now` as its version.
    virtual void take(std::string id, TimePoint now, Done<TakenRow> done) = 0;
    /// `entering` becomes `cold` again if it has that version: Redis has refused it.
    virtual void giveBack(std::string id, std::int64_t version, Done<void> done) = 0;
    virtual void page(ColdQuery query, Done<std::vector<ColdRow>> done) = 0;
    virtual void counts(Done<std::vector<ColdCount>> done) = 0;
    virtual void countKey(std::string bizKey, Done<std::uint64_t> done) = 0;
};

/// How long after its claim a row may still be moved in Redis, by Redis' clock. Nobody else touches
/// the claim before twice that.
inline constexpr Millis kClaimHolds{10'000};
inline constexpr Millis kClaimIsLeft = 2 * kClaimHolds;

}  // namespace restante::cold
