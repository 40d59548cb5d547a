#pragma once

#include "core/queue/bulk_action.h"
#include "gui/session/connection_profile.h"
#include "gui/session/jobs_view.h"

namespace restante::gui {

/// What is asked before a bulk request begins.
enum class Confirmation {
    None,       ///< it can be undone or runs one job, and changes only jobs that the user sees
    Ask,        ///< a dialog that says what will happen
    TypeCount,  ///< the same, and the count must be typed
};

/// *Pure.* Deleting for good, finishing and burying always ask; so does running many jobs, and
/// anything that changes more jobs than the user can see. The count is typed from `typedFrom` jobs
/// on; in production a dialog always asks about more than one job, and the count is typed from
/// `productionFrom` on.
Confirmation confirmationFor(BulkAction::Verb verb,
                             const Selection& selection,
                             AccessMode mode,
                             std::uint64_t typedFrom,
                             std::uint64_t productionFrom = 1);

}  // namespace restante::gui
