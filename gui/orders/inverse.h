#pragma once

#include "gui/session/job_writer.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace restante::gui {

/// The orders that bring jobs back to where they were before `verb` was done to them, as far as
/// that can be done: what is deleted for good stays so, and a job that was dead before it ran is
/// not made dead again. Jobs get back their state, due time and attempts; but one that was held
/// when its attempts were reset is only held again (staysReset()). A job that is not where `verb`
/// put it any more is left alone: the orders name the states, and the due times that Reschedule
/// gave. *Pure.*
std::vector<Order> inverseOf(BulkAction::Verb verb, const std::vector<Changed>& changed);

/// How many of these keep their reset attempts when they are brought back. *Pure.*
std::size_t staysReset(const std::vector<Changed>& changed);

/// The same verb once more on exactly these jobs, as far as they are where they were before it:
/// redo. *Pure.*
Order againOn(const Order& order, const std::vector<Changed>& changed);

/// How an order ended, as far as what it has left depends on it.
struct Ending {
    const BulkReport& report;
    const std::vector<Changed>& changed;
    bool complete = true;  ///< `changed` has all that it changed
};
/// What an order that did not get through has left: those that failed, and those that it did not
/// come to. None when there is nothing, or nobody can tell. *Pure.*
std::optional<Order> restOf(const Order& order, const Ending& ending);
/// The same on those that failed. *Pure.*
Order failedOf(const Order& order, const std::vector<std::pair<std::string, Error>>& failures);

}  // namespace restante::gui
