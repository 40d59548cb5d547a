#include "gui/jobs/picked_jobs.h"

#include <algorithm>
#include <vector>

namespace restante::gui {

void PickedJobs::clear()
{
    all_ = false;
    picked_.clear();
    except_.clear();
}

void PickedJobs::pickAll()
{
    clear();
    all_ = true;
}

void PickedJobs::pick(const std::string& id, JobState state)
{
    if (all_) {
        except_.erase(id);
        return;
    }
    const auto [place, isNew] = picked_.try_emplace(id, Picked{state, turn_});
    place->second.state = state;
    turn_ += isNew ? 1 : 0;
}

void PickedJobs::unpick(const std::string& id)
{
    if (all_) {
        except_.insert(id);
    } else {
        picked_.erase(id);
    }
}

bool PickedJobs::has(const std::string& id) const
{
    return all_ ? except_.count(id) == 0 : picked_.count(id) != 0;
}

std::uint64_t PickedJobs::count(std::uint64_t total) const
{
    return all_ ? total - std::min<std::uint64_t>(total, except_.size()) : picked_.size();
}

Selection PickedJobs::selection(const JobsView& view, std::uint64_t total, bool exact) const
{
    Selection result;
    result.view = view;
    result.count = count(total);
    if (all_) {
        result.all = true;
        result.except = except_;
        result.exact = exact;
        return result;
    }
    std::vector<std::pair<std::uint64_t, const std::string*>> order;
    order.reserve(picked_.size());
    for (const auto& [id, picked] : picked_) {
        order.emplace_back(picked.turn, &id);
    }
    std::sort(order.begin(), order.end());
    result.ids.reserve(order.size());
    for (const auto& [turn, id] : order) {
        result.ids.push_back(*id);
    }
    return result;
}

SelectionSummary PickedJobs::summary(std::uint64_t total) const
{
    SelectionSummary summary;
    summary.count = count(total);
    summary.all = all_;
    if (!all_) {
        for (const auto& [id, picked] : picked_) {
            ++summary.states[picked.state];
        }
    }
    return summary;
}

}  // namespace restante::gui
