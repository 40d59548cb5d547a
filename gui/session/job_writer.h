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
    /// Of ids, for what takes a step back or does it again: jobs in other states have been touched
    /// by somebody else since, and are skipped; empty = every state that the verb may start from.
    std::vector<JobState> expectedStates = {};
    /// Of ids, for the same: each is skipped unless it is due exactly then; epoch = whenever.
    std::vector<TimePoint> expectedDues = {};
    BulkAction::Attempts attempts = BulkAction::Attempts::Keep;  ///< of Reschedule
    /// Of Reschedule of ids, instead of `attempts`: so many of each one's count no longer.
    std::vector<std::uint32_t> attemptOffsets = {};
    BulkAction::HoldIn holdIn = BulkAction::HoldIn::Itself;  ///< of Hold
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
    bool byItself = false;  ///< as JobView
    std::string recipient = {};
};

/// How far a bulk request is. *Value.* `report.failures` has the ids to try again: all of them, up
/// to kFailures, and not only those that BulkAction names by itself.
struct Progress {
    static constexpr std::size_t kFailures = 10'000;

    BulkReport report;
    std::uint64_t expected = 0;           ///< jobs it is about, as far as known
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
    virtual RequestId act(BulkRequest request,
                          std::string actor,
                          std::function<void(const Progress&)> progress,
                          Reply<BulkReport> reply) = 0;
    virtual RequestId push(PushOptions request, Reply<Pushed> reply) = 0;
    virtual RequestId remind(reminder::ReminderRequest request, Reply<Pushed> reply) = 0;
    virtual RequestId changeSeries(reminder::SeriesChange change, Reply<Pushed> reply) = 0;
    /// The next `count` times of a reminder; stores nothing.
    virtual RequestId preview(reminder::ReminderRequest request,
                              std::uint32_t count,
                              Reply<std::vector<TimePoint>> reply) = 0;
    enum class TopicVerb { Pause, Resume };
    virtual RequestId topic(TopicVerb verb, TopicAction action, Reply<void> reply) = 0;
    /// In place of all limits that the topic has; Invalid names the one that is none.
    virtual RequestId limit(TopicAction action, TopicLimits limits, Reply<void> reply) = 0;
    /// What an export wrote: a job, back into its state, what holds a topic back, or a once key.
    virtual RequestId
    import(Exported value, bool replace, std::string actor, Reply<PushOutcome> reply) = 0;
    /// Stops after the writes in flight; the reply has the report so far.
    virtual void stop(RequestId requestId) = 0;
};

}  // namespace restante::gui
