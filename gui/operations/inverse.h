#pragma once

#include "gui/session/job_writer.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace restante::gui {

/// The requests that bring jobs back to where they were before `verb` was done to them, as far as
/// possible: a job that was deleted for good stays so, and one that was dead before it ran is not
/// made dead again. Jobs get back their state, due time and attempts; but one that was held when
/// its attempts were reset is only held again (countKeepingReset()). The requests name the states
/// that `verb` has set and the due times that Reschedule has set: jobs that are elsewhere since are
/// skipped by the store itself, so that none is taken from a worker who has just claimed it. One
/// that was taken and has come back to such a state is not told apart. *Pure.*
std::vector<BulkRequest> inverseOf(BulkAction::Verb verb, const std::vector<JobBefore>& changed);

/// How many of these jobs keep their reset attempts when the verb is undone. *Pure.*
std::size_t countKeepingReset(const std::vector<JobBefore>& changed);

/// The request that redoes the verb on these jobs, if they are in their earlier state. *Pure.*
BulkRequest redoRequest(const BulkRequest& request, const std::vector<JobBefore>& changed);

/// How a bulk request ended: what remainderOf() needs of it.
struct BulkResult {
    const BulkReport& report;
    const std::vector<JobBefore>& changed;
    bool changedIsComplete = true;  ///< `changed` lists every changed job
};
/// The same request for the jobs that failed or were not reached. None when there are none, or when
/// they cannot be determined. *Pure.*
std::optional<BulkRequest> remainderOf(const BulkRequest& request, const BulkResult& result);
/// The same request for the jobs that failed. *Pure.*
BulkRequest failedPartOf(const BulkRequest& request,
                         const std::vector<std::pair<std::string, Error>>& failures);

}  // namespace restante::gui
