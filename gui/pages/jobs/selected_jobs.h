#pragma once

#include "gui/actions/selection_summary.h"
#include "gui/session/jobs_view.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace restante::gui {

/// The selected jobs of a table, by id because rows come, go and move. Either a set of ids, or all
/// jobs of the view except a set of ids. *Value.*
class SelectedJobs {
public:
    void clear();
    /// All jobs that match the view, loaded or not.
    void selectAll();
    /// Changes one job; all others stay as they are.
    void select(const std::string& id, JobState state);
    void deselect(const std::string& id);
    /// Applies the answer to a query: which of `queriedIds` match the view, and in what state. A
    /// selected job that does not match is deselected for good; an excluded one stays excluded, but
    /// is not counted while it does not match. True when anything has changed.
    bool reconcile(const std::vector<std::string>& queriedIds,
                   const std::map<std::string, JobState>& matching);
    /// The ids in the set: selected ones, or excluded ones after selectAll().
    std::vector<std::string> listedIds() const;
    bool isListed(const std::string& id) const
    {
        return selected_.count(id) + excluded_.count(id) != 0;
    }

    bool has(const std::string& id) const;
    bool all() const noexcept { return all_; }
    /// The number of selected jobs of a view that has `total` rows.
    std::uint64_t count(std::uint64_t total) const;
    /// Jobs of the view that are excluded after selectAll().
    std::uint64_t excludedCount() const noexcept
    {
        return excluded_.size() - absentExcluded_.size();
    }
    bool empty() const noexcept { return !all_ && selected_.empty(); }
    /// For the actions. `exact`: `total` is the number of matches, not only a lower bound.
    Selection selection(const JobsView& view, std::uint64_t total, bool exact) const;
    SelectionSummary summary(std::uint64_t total) const;

private:
    struct Entry {
        JobState state;
        std::uint64_t order;  ///< rank in the order of selection
    };

    bool all_ = false;
    std::map<std::string, Entry> selected_;  ///< unless all_
    std::set<std::string> excluded_;         ///< of all_
    std::set<std::string> absentExcluded_;   ///< of excluded_: not in the view at the moment
    std::uint64_t nextOrder_ = 0;
};

}  // namespace restante::gui
