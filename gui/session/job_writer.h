#pragma once

#include "core/queue/bulk_action.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_import.h"
#include "core/queue/topic.h"
#include "core/reminder/reminder_request.h"
#include "gui/session/jobs_view.h"
#include "gui/session/reply.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace restante::gui {

/// One verb on a selection.
struct BulkRequest {
    BulkAction::Verb verb = BulkAction::Verb::Trash;
    Selection selection = {};
    TimePoint due{};                   ///< of Reschedule
    Millis spread{0};                  ///< of Reschedule
    std::vector<TimePoint> dues = {};  ///< of Reschedule of ids: each its own, instead of `due`
    std::string reason = {};
    enum class Mode { DryRun, Apply };
    Mode mode = Mode::Apply;
    /// Of ids, for undo and redo: jobs in other states have been changed by somebody else since,
    /// and are skipped; empty = every state that the verb may start from.
    std::vector<JobState> expectedStates = {};
    /// Of ids, for the same: each is skipped unless it is due exactly then; epoch = whenever.
    std::vector<TimePoint> expectedDues = {};
    BulkAction::Attempts attempts = BulkAction::Attempts::Keep;  ///< of Reschedule
    /// Of Reschedule of ids, instead of `attempts`: the attempts of each that no longer count.
    std::vector<std::uint32_t> attemptOffsets = {};
    BulkAction::HoldPlace holdPlace = BulkAction::HoldPlace::OutsideMailbox;  ///< of Hold
};

/// Shared, as it may name 200,000 jobs, by the task, its undo step and its repetition.
using SharedBulkRequest = std::shared_ptr<const BulkRequest>;

/// A job as it was before a bulk request changed it; used to undo that. *Value.*
struct JobBefore {
    std::string id;
    JobState state = JobState::Scheduled;
    TimePoint due{};
    TimePoint newDue{};  ///< by Reschedule: when it is due since; else epoch
    /// When its attempts were reset: how many did not count before.
    std::optional<std::uint32_t> attemptOffset = {};
    bool heldOutsideMailbox = false;  ///< as JobView
    std::string recipient = {};
};

/// The progress of a bulk request. *Value.* `report.failures` has the ids to try again: all of
/// them, up to kMaxFailures, and not only those that BulkAction names by itself.
struct Progress {
    static constexpr std::size_t kMaxFailures = 10'000;

    BulkReport report;
    std::uint64_t expected = 0;           ///< jobs of the request, as far as known
    std::vector<JobBefore> changed = {};  ///< since the last report (BulkAction::onApplied)
};

struct Pushed {
    std::vector<std::string> ids = {};
    std::vector<TimePoint> dues = {};
    bool alreadyThere = false;
};

/// The writes of the console. Permissions are checked by JobCommands.
/// *Thread of the window.*
class JobWriter {
public:
    JobWriter() = default;
    JobWriter(const JobWriter&) = delete;
    JobWriter& operator=(const JobWriter&) = delete;
    virtual ~JobWriter() = default;

    /// Ids are acted on in their order; all that match page by page (BulkRun). `progress` runs
    /// on the thread of the window, at most ten times a second, and once more at the end, before
    /// the reply.
    virtual RequestId runBulk(BulkRequest request,
                              std::string actor,
                              std::function<void(const Progress&)> progress,
                              Reply<BulkReport> reply) = 0;
    virtual RequestId push(PushOptions request, Reply<Pushed> reply) = 0;
    virtual RequestId createReminder(reminder::ReminderRequest request, Reply<Pushed> reply) = 0;
    virtual RequestId changeSeries(reminder::SeriesChange change, Reply<Pushed> reply) = 0;
    /// The next `count` times of a reminder; stores nothing.
    virtual RequestId preview(reminder::ReminderRequest request,
                              std::uint32_t count,
                              Reply<std::vector<TimePoint>> reply) = 0;
    enum class TopicVerb { Pause, Resume };
    virtual RequestId changeTopic(TopicVerb verb, TopicAction action, Reply<void> reply) = 0;
    /// Replaces all limits of the topic; the error Invalid names the limit that is not valid.
    virtual RequestId setTopicLimits(TopicAction action, TopicLimits limits, Reply<void> reply) = 0;
    /// Stores a record of an export: a job in its state, the pause or limits of a topic, a once
    /// key; a StoreShape cannot be stored.
    virtual RequestId
    import(Exported value, bool replace, std::string actor, Reply<PushOutcome> reply) = 0;
    /// Stops after the writes in flight; the reply has the report so far.
    virtual void stop(RequestId requestId) = 0;
};

}  // namespace restante::gui
