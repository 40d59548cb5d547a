#include "gui/pages/jobs/picked_jobs.h"

#include <algorithm>
#include <vector>

namespace restante::gui {

void PickedJobs::clear()
{
    all_ = false;
    picked_.clear();
    except_.clear();
    away_.clear();
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
        away_.erase(id);
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
        away_.erase(id);
    } else {
        picked_.erase(id);
    }
}

bool PickedJobs::settle(const std::vector<std::string>& asked,
                        const std::map<std::string, JobState>& matching)
{
    bool changed = false;
    for (const auto& id : asked) {
        const auto found = matching.find(id);
        const bool matches = found != matching.end();
        if (all_ && except_.count(id) != 0) {
            changed = (matches ? away_.erase(id) != 0 : away_.insert(id).second) || changed;
        } else if (const auto picked = picked_.find(id); picked != picked_.end()) {
            changed = changed || !matches || picked->second.state != found->second;
            if (matches) {
                picked->second.state = found->second;
            } else {
                picked_.erase(picked);
            }
        }
    }
    return changed;
}

std::vector<std::string> PickedJobs::named() const
{
    std::vector<std::string> ids(except_.begin(), except_.end());
    for (const auto& [id, picked] : picked_) {
        ids.push_back(id);
    }
    return ids;
}

bool PickedJobs::has(const std::string& id) const
{
    return all_ ? except_.count(id) == 0 : picked_.count(id) != 0;
}

std::uint64_t PickedJobs::count(std::uint64_t total) const
{
    return all_ ? total - std::min<std::uint64_t>(total, left()) : picked_.size();
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
