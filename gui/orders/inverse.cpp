#include "gui/orders/inverse.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace restante::gui {

namespace {

using Verb = BulkAction::Verb;

/// What takes a verb back, and where it has left the job.
struct Inverse {
    Verb verb;
    std::vector<JobState> from;
};

/// Time alone makes the one of the other.
const std::vector<JobState> kInLane{JobState::Scheduled, JobState::Ready};

/// Where a verb leaves a job that it takes out of Scheduled, Ready or Held.
std::vector<JobState> leftIn(Verb verb)
{
    switch (verb) {
    case Verb::Hold: return {JobState::Held};
    case Verb::RunNow: return {JobState::Ready};  // a later time was somebody else's
    default: return kInLane;
    }
}

/// Back to a state in which only its due time was other: a ready or scheduled job is where its due
/// time says.
std::optional<Inverse> backTo(JobState before, Verb verb)
{
    switch (before) {
    case JobState::Scheduled:
    case JobState::Ready: return Inverse{Verb::Reschedule, leftIn(verb)};
    case JobState::Held: return Inverse{Verb::Hold, leftIn(verb)};
    default: return std::nullopt;
    }
}

std::optional<Inverse> inverse(Verb verb, JobState before)
{
    switch (verb) {
    case Verb::Trash: return Inverse{Verb::Restore, {JobState::Trashed}};
    case Verb::Restore:
        // One that is being worked on by now is not taken away from its worker.
        return before == JobState::Trashed
                   ? std::optional(Inverse{Verb::Trash,
                                           {JobState::Scheduled, JobState::Ready, JobState::Held,
                                            JobState::Dead, JobState::Done}})
                   : std::nullopt;
    case Verb::Release:
        return before == JobState::Held ? std::optional(Inverse{Verb::Hold, kInLane})
                                        : std::nullopt;
    case Verb::Hold:
    case Verb::RunNow:
    case Verb::Reschedule: return backTo(before, verb);
    case Verb::Finish:
    case Verb::Bury:
    case Verb::Purge: break;
    }
    return std::nullopt;
}

bool inLane(JobState state)
{
    return state == JobState::Scheduled || state == JobState::Ready;
}

/// Due times of their own belong to the jobs of an order by their places.
class Places {
public:
    explicit Places(const std::vector<std::string>& ids)
    {
        for (std::size_t at = 0; at < ids.size(); ++at) {
            places_.emplace(ids[at], at);
        }
    }
    template <class T>
    T in(const std::vector<T>& values, const std::string& id, T none) const
    {
        const auto found = places_.find(id);
        return found != places_.end() && found->second < values.size() ? values[found->second]
                                                                       : none;
    }

private:
    std::unordered_map<std::string_view, std::size_t> places_;
};

/// The same order on these of its ids.
Order narrowed(const Order& order, std::vector<std::string> ids)
{
    Order less = order;
    less.selection = {};
    less.selection.view = order.selection.view;  // what has left it since is skipped
    less.dues.clear();
    less.duesNow.clear();
    less.forgotten.clear();
    if (!order.dues.empty() || !order.duesNow.empty() || !order.forgotten.empty()) {
        const Places places(order.selection.ids);
        for (const auto& id : ids) {
            if (!order.dues.empty()) {
                less.dues.push_back(places.in(order.dues, id, order.due));
            }
            if (!order.duesNow.empty()) {
                less.duesNow.push_back(places.in(order.duesNow, id, TimePoint{}));
            }
            if (!order.forgotten.empty()) {
                less.forgotten.push_back(places.in(order.forgotten, id, 0U));
            }
        }
    }
    less.selection.ids = std::move(ids);
    less.selection.count = less.selection.ids.size();
    return less;
}

}  // namespace

std::vector<Order> inverseOf(Verb verb, const std::vector<Changed>& changed)
{
    std::vector<Order> orders;
    for (const auto& job : changed) {
        auto back = inverse(verb, job.state);
        if (!back) {
            continue;
        }
        auto order = orders.begin();
        // A message that waited in its mailbox waits there again.
        const auto holdIn = back->verb == Verb::Hold && !job.byItself ? BulkAction::HoldIn::Mailbox
                                                                      : BulkAction::HoldIn::Itself;
        while (order != orders.end() && (order->verb != back->verb || order->holdIn != holdIn)) {
            ++order;
        }
        if (order == orders.end()) {
            order = orders.insert(orders.end(), Order{.verb = back->verb});
            order->holdIn = holdIn;
            order->from = std::move(back->from);
        }
        order->selection.ids.push_back(job.id);
        order->selection.count = order->selection.ids.size();
        if (back->verb == Verb::Reschedule) {
            order->dues.push_back(job.due);
            if (job.forgotten) {
                order->forgotten.push_back(*job.forgotten);
            }
        }
        if (verb == Verb::Reschedule) {
            order->duesNow.push_back(job.given);
        }
    }
    return orders;
}

std::size_t staysReset(const std::vector<Changed>& changed)
{
    return static_cast<std::size_t>(
        std::count_if(changed.begin(), changed.end(), [](const Changed& job) {
            return job.forgotten && job.state == JobState::Held;
        }));
}

Order againOn(const Order& order, const std::vector<Changed>& changed)
{
    std::vector<std::string> ids;
    ids.reserve(changed.size());
    for (const auto& job : changed) {
        ids.push_back(job.id);
    }
    auto again = narrowed(order, std::move(ids));
    again.from.clear();
    again.dues.clear();
    again.duesNow.clear();
    again.duesNow.reserve(changed.size());
    const auto meet = [&again](JobState state) {
        if (std::find(again.from.begin(), again.from.end(), state) == again.from.end()) {
            again.from.push_back(state);
        }
    };
    for (const auto& job : changed) {
        meet(job.state);
        if (inLane(job.state)) {
            meet(JobState::Scheduled);
            meet(JobState::Ready);
        }
        again.duesNow.push_back(inLane(job.state) ? job.due : TimePoint{});
        if (order.verb == Verb::Reschedule) {
            // As it was the first time, spread and all.
            again.dues.push_back(job.given);
        }
    }
    return again;
}

Order failedOf(const Order& order, const std::vector<std::pair<std::string, Error>>& failures)
{
    std::vector<std::string> ids;
    ids.reserve(failures.size());
    for (const auto& [id, error] : failures) {
        ids.push_back(id);
    }
    return narrowed(order, std::move(ids));
}

std::optional<Order> restOf(const Order& order, const Ending& ending)
{
    const auto& [report, changed, complete] = ending;
    if (order.selection.all) {
        // Whatever it has changed may match again.
        if (!complete) {
            return std::nullopt;
        }
        auto rest = order;
        for (const auto& job : changed) {
            rest.selection.except.insert(job.id);
        }
        // What came in later was never among them.
        const auto touched = report.done + report.skipped - report.later;
        rest.selection.count =
            rest.selection.count > touched ? rest.selection.count - touched : report.failed;
        return rest.selection.count == 0 ? std::nullopt : std::optional(std::move(rest));
    }
    const auto& all = order.selection.ids;
    const auto reached = std::min<std::size_t>(all.size(), report.reached);
    std::vector<std::string> ids(all.begin() + static_cast<std::ptrdiff_t>(reached), all.end());
    const std::unordered_set<std::string_view> there(
        all.begin() + static_cast<std::ptrdiff_t>(reached), all.end());
    for (const auto& [id, error] : report.failures) {
        if (!there.contains(id)) {
            ids.push_back(id);
        }
    }
    return ids.empty() ? std::nullopt : std::optional(narrowed(order, std::move(ids)));
}

}  // namespace restante::gui
