#pragma once

#include "core/queue/bulk_action.h"
#include "gui/session/jobs_view.h"

#include <QString>

#include <cstdint>

namespace restante::gui {

/// "3,004" in the user's locale.
QString numberText(std::uint64_t number);
/// "2/8": the attempts so far and the maximum; "2" when that is 0, which is no maximum.
QString attemptsText(std::uint32_t attempts, std::uint32_t maxAttempts);
/// "3,004 jobs".
QString jobsText(std::uint64_t count);

/// The text of the button that runs the verb: "Move 12 jobs to Trash".
QString buttonText(BulkAction::Verb verb, std::uint64_t count);
/// The question above that button: "Move 12 jobs to the trash?"
QString questionText(BulkAction::Verb verb, std::uint64_t count);
/// The title in the Undo action, and in the list of tasks while it runs: "Move 12 jobs to the
/// trash".
QString stepTitle(BulkAction::Verb verb, std::uint64_t count);
/// What it has done: "12 jobs moved to the trash"; of a single job, `jobName` names it.
QString doneTitle(BulkAction::Verb verb, std::uint64_t count, const QString& jobName = {});

/// "9,995 ok · 2 skipped · 3 failed".
QString countsText(std::uint64_t done, std::uint64_t skipped, std::uint64_t failed);
/// The selection in words, with its filter: "all that match state:dead, minus 4".
QString scopeText(const Selection& selection);
/// Filter, tab and sidebar of a view as one line of the filter's grammar; empty = everything.
QString filterText(const JobsView& view);

}  // namespace restante::gui
