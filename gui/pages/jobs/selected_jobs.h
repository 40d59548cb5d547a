#pragma once

#include "gui/actions/selection_summary.h"
#include "gui/session/jobs_view.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace restante::gui {

/// What is selected in a table of jobs, by id: rows may come, go and move. Either some ids, or all
/// that match but some ids. *Value.*
class SelectedJobs {
public:
    void clear();
    /// Everything that the view matches, on screen or not.
    void selectAll();
    /// The `clear()` or `selectAll()` of before still holds for all other jobs.
    void select(const std::string& id, JobState state);
    void deselect(const std::string& id);
    /// What a look at some jobs has shown: which of `asked` match the view, and in what state. A
    /// selected one that does not match is selected no more, also when it comes back; one that is
    /// left out stays so, but does not count while it is away. True when that changes anything.
    bool reconcile(const std::vector<std::string>& asked,
                   const std::map<std::string, JobState>& matching);
    /// The jobs that are named one by one: selected, or left out.
    std::vector<std::string> listedIds() const;
    bool isListed(const std::string& id) const
    {
        return selected_.count(id) + excluded_.count(id) != 0;
    }

    bool has(const std::string& id) const;
    bool all() const noexcept { return all_; }
    /// Of a view that has `total` rows.
    std::uint64_t count(std::uint64_t total) const;
    /// Jobs of the view that are left out of all.
    std::uint64_t excludedCount() const noexcept
    {
        return excluded_.size() - absentExcluded_.size();
    }
    bool empty() const noexcept { return !all_ && selected_.empty(); }
    /// For the actions; `exact` = `total` is how many match and not only how many are known.
    Selection selection(const JobsView& view, std::uint64_t total, bool exact) const;
    SelectionSummary summary(std::uint64_t total) const;

private:
    struct Entry {
        JobState state;
        std::uint64_t order;  ///< the first selected comes first
    };

    bool all_ = false;
    std::map<std::string, Entry> selected_;  ///< unless all_
    std::set<std::string> excluded_;         ///< of all_
    std::set<std::string> absentExcluded_;   ///< of excluded_: not in the view at the moment
    std::uint64_t nextOrder_ = 0;
};

}  // namespace restante::gui
