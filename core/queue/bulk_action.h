#pragma once

#include "core/base/event_loop.h"
#include "core/job/job_filter.h"
#include "core/queue/job_inspector.h"
#include "core/queue/job_store.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace restante {

/// What is done to every job that matches. *Value.*
struct BulkAction {
    enum class Verb { RunNow, Reschedule, Release, Hold, Finish, Bury, Trash, Restore, Purge };
    /// A report lists so many ids and failures unless asked for more; the counts are complete.
    static constexpr std::size_t kNamed = 20;
    /// The report names so many topics; the counts by state are complete.
    static constexpr std::size_t kTopics = 100;

    Verb verb = Verb::Trash;
    JobFilter filter = {};
    /// These in their order, as far as they still match the filter and are in one of the states.
    std::vector<std::string> ids = {};
    std::vector<JobState> states = {};  ///< empty = every state that the verb may start from
    std::set<std::string> except = {};  ///< ids that are left alone
    TimePoint due{};                    ///< for Reschedule
    Millis spread{0};                   ///< for Reschedule: evenly over so long from `due` on
    std::vector<TimePoint> dues = {};   ///< for Reschedule of ids: each its own, instead of `due`
    std::string actor = {};
    std::string reason = {};  ///< kept with each event; of Bury it becomes last_error, too
    enum class Mode { DryRun, Apply };
    Mode mode = Mode::DryRun;
    std::uint32_t concurrency = 100;   ///< jobs that are acted on at a time
    std::size_t maxReported = kNamed;  ///< ids and failures that the report lists
    /// For Hold: by itself, so that nothing but an operator sets it going, or back into the mailbox
    /// from where a message was rescheduled.
    enum class HoldIn { Itself, Mailbox };
    HoldIn holdIn = HoldIn::Itself;
    enum class Attempts { Keep, Reset };
    Attempts attempts = Attempts::Keep;  ///< for Reschedule: whether those so far go on to count
    /// For Reschedule of ids, instead of `attempts`: so many of each one's count no longer.
    std::vector<std::uint32_t> attemptOffsets = {};
    /// Told of each job that was acted on, as it was found before, and of when it is due by
    /// Reschedule (else epoch): what taking it back needs.
    std::function<void(const JobView& before, TimePoint given)> onApplied = {};
    /// Of ids: each is skipped unless it is due exactly then, because somebody has moved it since;
    /// epoch = whenever it is due. With Reschedule and Hold the store itself sees to that, and of
    /// the two only jobs that are scheduled or ready can be meant.
    std::vector<TimePoint> expectedDues = {};
    /// When what the filter finds was seen and agreed to: what came in after it, as far as the
    /// store can tell (created, or ended in a state that it stays in), is skipped and counted.
    /// Unset: the beginning, and nothing is counted. Ids are meant whenever they came in.
    TimePoint asOf{};
};

/// "run_now", "trash" ...; none for other words.
std::string_view name(BulkAction::Verb verb) noexcept;
std::optional<BulkAction::Verb> bulkVerbNamed(std::string_view word) noexcept;
/// The states that the verb may start from when it is an operator's: docs/job-lifecycle.md.
std::vector<JobState> statesFor(BulkAction::Verb verb);

/// What has become of it so far. *Value.*
struct BulkReport {
    std::uint64_t examined = 0;                            ///< jobs looked at
    std::map<JobState, std::uint64_t> matched = noJobs();  ///< by the state they were found in
    std::map<std::string, std::uint64_t> topics;           ///< the same, of the first topics found
    std::vector<std::string> firstIds;                     ///< of those that matched
    std::uint64_t done = 0;                                ///< acted on; of a dry run always 0
    /// Gone, changed so that they do not match any more, in a state that the verb may not start
    /// from, or come in after BulkAction::asOf.
    std::uint64_t skipped = 0;
    std::uint64_t failed = 0;
    std::vector<std::pair<std::string, Error>> failures;  ///< the first of them
    bool stopped = false;
    /// So many of the ids, in their order, have been acted on or left alone; after a stop the
    /// others are what is left.
    std::uint64_t idsProcessed = 0;
    std::uint64_t skippedAsNewer =
        0;  ///< of the skipped ones, those that came in after BulkAction::asOf

    std::uint64_t total() const;
};

/// Searches and acts page by page: what it touches matched when it was looked at, and the store
/// refuses what has moved on since. Jobs that were created after the beginning are left alone, so
/// it ends while others push; what it reschedules it does not meet again. Ids are looked up and
/// acted on a page at a time. A temporary failure of the store ends it: the report so far is
/// complete, and repeating it goes on with what is left.
///
/// Borrows inspector and store, which must live until the answer; destroying it stops it without
/// one. *One loop.*
class BulkRun {
public:
    using Progress = std::function<void(const BulkReport&)>;

    BulkRun(JobInspector& inspector, JobStore& store, const Clock& clock, BulkAction action);
    BulkRun(const BulkRun&) = delete;
    BulkRun& operator=(const BulkRun&) = delete;
    ~BulkRun();

    /// Once. `progress` is told after each page. Errors: those of the search; the failures of
    /// single jobs are in the report.
    void start(Done<BulkReport> done, Progress progress = {});
    /// Ends after the acts on their way, with the report so far and `stopped`.
    void stop();
    /// Ends at once without calling `done`: the report so far, with `stopped`. Acts whose answers
    /// have not come are failures (Unavailable): nothing is known of them.
    BulkReport giveUp();

private:
    class Impl;
    std::shared_ptr<Impl> impl_;  ///< shared with the answers on their way
};

/// An operator's wish that nobody gets the job until somebody releases it: of one that is scheduled
/// or ready, and stays so until the store holds it. What is leased stays its worker's, also when it
/// is claimed meanwhile. Conflict names the state of any other; NotFound when there is none.
/// Borrows inspector and store, which must live until the answer. *One loop.*
void holdWaiting(JobInspector& inspector, JobStore& store, OperatorAction action, Done<void> done);

}  // namespace restante
