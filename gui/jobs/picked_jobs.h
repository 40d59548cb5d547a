#pragma once

#include "gui/jobs/selection_summary.h"
#include "gui/session/jobs_view.h"

#include <map>
#include <set>
#include <string>

namespace restante::gui {

/// What is selected in a table of jobs, by id: rows may come, go and move. Either some ids, or all
/// that match but some ids. *Value.*
class PickedJobs {
public:
    void clear();
    /// Everything that the view matches, on screen or not.
    void pickAll();
    /// The `clear()` or `pickAll()` of before still holds for all other jobs.
    void pick(const std::string& id, JobState state);
    void unpick(const std::string& id);

    bool has(const std::string& id) const;
    bool all() const noexcept { return all_; }
    /// Of a view that has `total` rows.
    std::uint64_t count(std::uint64_t total) const;
    std::uint64_t left() const noexcept { return except_.size(); }
    bool empty() const noexcept { return !all_ && picked_.empty(); }
    /// For the actions; `exact` = `total` is how many match and not only how many are known.
    Selection selection(const JobsView& view, std::uint64_t total, bool exact) const;
    SelectionSummary summary(std::uint64_t total) const;

private:
    struct Picked {
        JobState state;
        std::uint64_t turn;  ///< the first picked comes first
    };

    bool all_ = false;
    std::map<std::string, Picked> picked_;  ///< unless all_
    std::set<std::string> except_;          ///< of all_
    std::uint64_t turn_ = 0;
};

}  // namespace restante::gui
