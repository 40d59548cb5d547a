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

/// One action on every job that matches. *Value.*
struct BulkAction {
    enum class Verb { RunNow, Reschedule, Release, Hold, Finish, Bury, Trash, Restore, Purge };
    /// How many ids and failures a report lists by default; the counts are complete.
    static constexpr std::size_t kReportedByDefault = 20;
    /// How many topics the report names; the counts by state are complete.
    static constexpr std::size_t kMaxReportedTopics = 100;

    Verb verb = Verb::Trash;
    JobFilter filter = {};
    /// Not empty: only these, in this order, if they match the filter and are in one of the states.
    std::vector<std::string> ids = {};
    /// Empty = every state that the verb may start from. The store leaves a job alone that is in
    /// none of these when it is written: a worker may have claimed it since it was looked at.
    std::vector<JobState> states = {};
    std::set<std::string> except = {};  ///< ids that are left alone
    TimePoint due{};                    ///< for Reschedule
    Millis spread{0};                   ///< for Reschedule: evenly over this span from `due` on
    std::vector<TimePoint> dues = {};   ///< for Reschedule of ids: one each, instead of `due`
    std::string actor = {};
    std::string reason = {};  ///< kept with each event; with Bury also last_error
    enum class Mode { DryRun, Apply };
    Mode mode = Mode::DryRun;
    std::uint32_t concurrency = 100;               ///< jobs that are acted on at a time
    std::size_t maxReported = kReportedByDefault;  ///< ids and failures that the report lists
    /// For Hold: outside any mailbox, so that only an operator releases it, or in the mailbox that
    /// a message was rescheduled from.
    enum class HoldPlace { OutsideMailbox, InMailbox };
    HoldPlace holdPlace = HoldPlace::OutsideMailbox;
    enum class Attempts { Keep, Reset };
    Attempts attempts = Attempts::Keep;  ///< for Reschedule: whether earlier attempts still count
    /// For Reschedule of ids, instead of `attempts`: how many attempts of each count no longer.
    std::vector<std::uint32_t> attemptOffsets = {};
    /// Called for each job that was acted on, as it was before, with its due time by Reschedule
    /// (else epoch): undo needs both.
    std::function<void(const JobView& before, TimePoint newDue)> onApplied = {};
    /// For ids: a job that is not due exactly then is skipped, because somebody has moved it since;
    /// epoch = any due time. With Reschedule and Hold the store checks it atomically, and then only
    /// jobs that are scheduled or ready can match.
    std::vector<TimePoint> expectedDues = {};
    /// When the operator saw what the filter finds. Jobs that came in after it, as far as the store
    /// can tell (created, or ended in a state that it stays in), are skipped and counted. Unset:
    /// the start of the run, and nothing is counted. Ids are not checked.
    TimePoint asOf{};
};

/// "run_now", "trash" ...
std::string_view name(BulkAction::Verb verb) noexcept;
/// The states that the verb may start from when it is an operator's: docs/job-lifecycle.md.
std::vector<JobState> statesFor(BulkAction::Verb verb);

/// The progress or the result of a BulkRun. *Value.*
struct BulkReport {
    std::uint64_t examined = 0;                            ///< jobs looked at
    std::map<JobState, std::uint64_t> matched = noJobs();  ///< by the state they were found in
    std::map<std::string, std::uint64_t>
        topics;                         ///< matched jobs by topic, of the first topics found
    std::vector<std::string> firstIds;  ///< ids of the first jobs that matched
    std::uint64_t done = 0;             ///< acted on; always 0 in a dry run
    /// Jobs that are gone, no longer match, are in a state that the verb may not start from or that
    /// was not asked for, or came in after BulkAction::asOf.
    std::uint64_t skipped = 0;
    std::uint64_t failed = 0;
    std::vector<std::pair<std::string, Error>> failures;  ///< the first failures
    /// By the caller, a temporary failure or a failed search, before all was done.
    bool stopped = false;
    std::optional<Error> searchError;  ///< of the search for further jobs; it has stopped the run
    /// How many of the ids, in their order, have been acted on or skipped; after a stop the rest
    /// remains to be done.
    std::uint64_t idsProcessed = 0;
    std::uint64_t skippedAsNewer = 0;  ///< skipped because they came in after BulkAction::asOf

    /// How many have matched, in all states.
    std::uint64_t total() const;
};

/// Searches and acts page by page: a job that it acts on matched when it was read, and the store
/// refuses the action if the job has left the states of the action and its filter since, and Finish
/// if another attempt is leased by then. Jobs created after the start are left alone, so the run
/// ends while others push, and a job that its own action makes due or lets match again is acted on
/// once. Ids are looked up and acted on a page at a time, as often as they are named. A temporary
/// failure of the store ends it, as does a search that fails after the first page: the report so
/// far is complete, and a repeated run continues with the remaining jobs.
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

    /// Called once. Calls `progress` after each page. Errors: those of the search, unless jobs have
    /// been acted on; these errors, and failures of single jobs, are in the report.
    void start(Done<BulkReport> done, Progress progress = {});
    /// Ends when the calls in flight are answered, with the report so far and `stopped`.
    void stop();
    /// Ends at once without calling `done`. Result: the report so far, with `stopped`. Calls
    /// without an answer count as failures (Unavailable): their outcome is unknown.
    BulkReport giveUp();

private:
    class Impl;
    std::shared_ptr<Impl> impl_;  ///< shared with the handlers of answers in flight
};

/// Holds a job for an operator until somebody releases it, if it is scheduled or ready until the
/// store holds it. A leased job stays with its worker, also when it is claimed meanwhile. Conflict
/// names any other state; NotFound when there is no such job. Borrows inspector and store, which
/// must live until the answer. *One loop.*
void holdWaiting(JobInspector& inspector, JobStore& store, OperatorAction action, Done<void> done);

}  // namespace restante
