#include "gui/commands/inverse.h"

#include <optional>

namespace restante::gui {

namespace {

using Verb = BulkAction::Verb;

/// Back to a state in which only its due time was other: a ready or scheduled job is where its due
/// time says.
std::optional<Verb> backTo(JobState before)
{
    switch (before) {
    case JobState::Scheduled:
    case JobState::Ready: return Verb::Reschedule;
    case JobState::Held: return Verb::Hold;
    default: return std::nullopt;
    }
}

std::optional<Verb> inverseVerb(Verb verb, JobState before)
{
    switch (verb) {
    case Verb::Trash: return Verb::Restore;
    case Verb::Restore:
        return before == JobState::Trashed ? std::optional(Verb::Trash) : std::nullopt;
    case Verb::Release: return before == JobState::Held ? std::optional(Verb::Hold) : std::nullopt;
    case Verb::Hold:
    case Verb::RunNow:
    case Verb::Reschedule: return backTo(before);
    case Verb::Finish:
    case Verb::Bury:
    case Verb::Purge: break;
    }
    return std::nullopt;
}

}  // namespace

std::vector<Order> inverseOf(Verb verb, const std::vector<Changed>& changed)
{
    std::vector<Order> orders;
    for (const auto& job : changed) {
        const auto back = inverseVerb(verb, job.state);
        if (!back) {
            continue;
        }
        auto order = orders.begin();
        while (order != orders.end() && order->verb != *back) {
            ++order;
        }
        if (order == orders.end()) {
            order = orders.insert(orders.end(), Order{.verb = *back});
        }
        order->selection.ids.push_back(job.id);
        order->selection.count = order->selection.ids.size();
        if (*back == Verb::Reschedule) {
            order->dues.push_back(job.due);
        }
    }
    return orders;
}

Order againOn(const Order& order, const std::vector<Changed>& changed)
{
    Order again = order;
    again.selection = {};
    for (const auto& job : changed) {
        again.selection.ids.push_back(job.id);
    }
    again.selection.count = changed.size();
    // Times of their own belong to the jobs of the first order, by their places there.
    if (!order.dues.empty()) {
        again.dues.clear();
        for (const auto& id : again.selection.ids) {
            std::size_t at = 0;
            while (at < order.selection.ids.size() && order.selection.ids[at] != id) {
                ++at;
            }
            again.dues.push_back(at < order.dues.size() ? order.dues[at] : order.due);
        }
    }
    return again;
}

}  // namespace restante::gui
