#include "gui/pages/jobs/selected_jobs.h"

#include <algorithm>
#include <vector>

namespace restante::gui {

void SelectedJobs::clear()
{
    all_ = false;
    selected_.clear();
    excluded_.clear();
    absentExcluded_.clear();
}

void SelectedJobs::selectAll()
{
    clear();
    all_ = true;
}

void SelectedJobs::select(const std::string& id, JobState state)
{
    if (all_) {
        excluded_.erase(id);
        absentExcluded_.erase(id);
        return;
    }
    const auto [entry, isNew] = selected_.try_emplace(id, Entry{state, nextOrder_});
    entry->second.state = state;
    nextOrder_ += isNew ? 1 : 0;
}

void SelectedJobs::deselect(const std::string& id)
{
    if (all_) {
        excluded_.insert(id);
        absentExcluded_.erase(id);
    } else {
        selected_.erase(id);
    }
}

bool SelectedJobs::reconcile(const std::vector<std::string>& queriedIds,
                             const std::map<std::string, JobState>& matching)
{
    bool changed = false;
    for (const auto& id : queriedIds) {
        const auto found = matching.find(id);
        const bool matches = found != matching.end();
        if (all_ && excluded_.count(id) != 0) {
            changed =
                (matches ? absentExcluded_.erase(id) != 0 : absentExcluded_.insert(id).second) ||
                changed;
        } else if (const auto entry = selected_.find(id); entry != selected_.end()) {
            changed = changed || !matches || entry->second.state != found->second;
            if (matches) {
                entry->second.state = found->second;
            } else {
                selected_.erase(entry);
            }
        }
    }
    return changed;
}

std::vector<std::string> SelectedJobs::listedIds() const
{
    std::vector<std::string> ids(excluded_.begin(), excluded_.end());
    for (const auto& [id, entry] : selected_) {
        ids.push_back(id);
    }
    return ids;
}

bool SelectedJobs::has(const std::string& id) const
{
    return all_ ? excluded_.count(id) == 0 : selected_.count(id) != 0;
}

std::uint64_t SelectedJobs::count(std::uint64_t total) const
{
    return all_ ? total - std::min<std::uint64_t>(total, excludedCount()) : selected_.size();
}

Selection SelectedJobs::selection(const JobsView& view, std::uint64_t total, bool exact) const
{
    Selection result;
    result.view = view;
    result.count = count(total);
    if (all_) {
        result.all = true;
        result.except = excluded_;
        result.exact = exact;
        return result;
    }
    std::vector<std::pair<std::uint64_t, const std::string*>> order;
    order.reserve(selected_.size());
    for (const auto& [id, entry] : selected_) {
        order.emplace_back(entry.order, &id);
    }
    std::sort(order.begin(), order.end());
    result.ids.reserve(order.size());
    for (const auto& [rank, id] : order) {
        result.ids.push_back(*id);
    }
    return result;
}

SelectionSummary SelectedJobs::summary(std::uint64_t total) const
{
    SelectionSummary summary;
    summary.count = count(total);
    summary.all = all_;
    if (!all_) {
        for (const auto& [id, entry] : selected_) {
            ++summary.states[entry.state];
        }
    }
    return summary;
}

}  // namespace restante::gui
