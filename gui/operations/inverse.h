#pragma once

#include "gui/session/job_writer.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace restante::gui {

/// The requests that bring jobs back to where they were before `verb` was done to them, as far as
/// that can be done: what is deleted for good stays so, and a job that was dead before it ran is
/// not made dead again. Jobs get back their state, due time and attempts; but one that was held
/// when its attempts were reset is only held again (countKeepingReset()). A job that is not where
/// `verb` put it any more is left alone: the bulk requests name the states, and the due times that
/// Reschedule gave. *Pure.*
std::vector<BulkRequest> inverseOf(BulkAction::Verb verb, const std::vector<JobBefore>& changed);

/// How many of these keep their reset attempts when they are brought back. *Pure.*
std::size_t countKeepingReset(const std::vector<JobBefore>& changed);

/// The same verb once more on exactly these jobs, as far as they are where they were before it:
/// redo. *Pure.*
BulkRequest redoRequest(const BulkRequest& request, const std::vector<JobBefore>& changed);

/// How a bulk request ended, as far as what it has left depends on it.
struct BulkResult {
    const BulkReport& report;
    const std::vector<JobBefore>& changed;
    bool complete = true;  ///< `changed` has all that it changed
};
/// What a bulk request that did not get through has left: those that failed, and those that it did
/// not come to. None when there is nothing, or nobody can tell. *Pure.*
std::optional<BulkRequest> restOf(const BulkRequest& request, const BulkResult& result);
/// The same on those that failed. *Pure.*
BulkRequest failedOf(const BulkRequest& request,
                     const std::vector<std::pair<std::string, Error>>& failures);

}  // namespace restante::gui
