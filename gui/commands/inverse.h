#pragma once

#include "gui/session/job_writer.h"

#include <vector>

namespace restante::gui {

/// The orders that bring jobs back to where they were before `verb` was done to them, as far as
/// that can be done: what is deleted for good stays so, and a job that was dead before it ran is
/// not made dead again. Jobs keep their state, due time and attempts. *Pure.*
std::vector<Order> inverseOf(BulkAction::Verb verb, const std::vector<Changed>& changed);

/// The same verb once more on exactly these jobs: redo. *Pure.*
Order againOn(const Order& order, const std::vector<Changed>& changed);

}  // namespace restante::gui
