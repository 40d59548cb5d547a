#pragma once

#include "core/base/interface.h"
#include "core/base/result.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"
#include "core/reminder/reminder_plan.h"
#include "core/reminder/reminder_request.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace restante::reminder {

/// What became of a request.
struct CreatedReminder {
    struct CreatedJob {
        std::string id;
        TimePoint due{};
    };
    PushStatus status = PushStatus::Stored;  ///< AlreadyThere only when nothing was new
    std::string bizKey;                      ///< cancels the set
    Channel channel = Channel::Sip;          ///< by which it is sent
    bool recurring = false;
    /// One for each time, or the series' own with its first time. Of a repeated request those of
    /// the first one, with their times as long as these are to come.
    std::vector<CreatedJob> jobs;
    std::vector<std::string> notes;  ///< "15d before 2026-12-31 has passed: left out"
};

/// Makes, changes and cancels reminders: what POST /v1/reminders and `restantectl remind` call.
/// Borrows all it is given. create() and cancel() answer Invalid at once, all else on the loop.
/// *One loop.*
class Reminders : public Interface {
public:
    static std::shared_ptr<Reminders>
    make(DelayQueue& queue, JobInspector& inspector, Settings settings);

    /// Checks the whole request, then stores all its jobs, or none: when one cannot be stored,
    /// those that were are purged. With an id, a repetition stores nothing twice. Invalid names the
    /// field; Conflict: another job has the id, or the sender has `reminder.per_sender` pending.
    virtual void create(ReminderRequest request, InlineDone<CreatedReminder> done) = 0;

    /// Replaces a series by another in one step: future occurrences change, those already sent do
    /// not. A paused series stays paused. Invalid names the field; NotFound: there is no such
    /// series; Conflict: it has ended, its body is not `expectedBody`, or somebody changes,
    /// cancels, pauses or resumes it at this moment.
    virtual void replace(SeriesChange change, Done<CreatedReminder> done) = 0;

    /// Moves every pending reminder of `bizKey`, series and occurrences, to the trash; answers how
    /// many. Other jobs with that key stay. NotFound when there is none.
    virtual void cancel(std::string bizKey,
                        std::string actor,
                        InlineDone<std::uint64_t> done,
                        std::string reason = {}) = 0;
};

}  // namespace restante::reminder
