#include "gui/operations/inverse.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

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

/// Due times of their own belong to the jobs of a bulk request by their places.
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

/// The same bulk request on these of its ids.
BulkRequest narrowed(const BulkRequest& request, std::vector<std::string> ids)
{
    BulkRequest less = request;
    less.selection = {};
    less.selection.view = request.selection.view;  // what has left it since is skipped
    less.dues.clear();
    less.duesNow.clear();
    less.forgotten.clear();
    if (!request.dues.empty() || !request.duesNow.empty() || !request.forgotten.empty()) {
        const Places places(request.selection.ids);
        for (const auto& id : ids) {
            if (!request.dues.empty()) {
                less.dues.push_back(places.in(request.dues, id, request.due));
            }
            if (!request.duesNow.empty()) {
                less.duesNow.push_back(places.in(request.duesNow, id, TimePoint{}));
            }
            if (!request.forgotten.empty()) {
                less.forgotten.push_back(places.in(request.forgotten, id, 0U));
            }
        }
    }
    less.selection.ids = std::move(ids);
    less.selection.count = less.selection.ids.size();
    return less;
}

}  // namespace

std::vector<BulkRequest> inverseOf(Verb verb, const std::vector<Changed>& changed)
{
    std::vector<BulkRequest> requests;
    for (const auto& job : changed) {
        auto back = inverse(verb, job.state);
        if (!back) {
            continue;
        }
        auto request = requests.begin();
        // A message that waited in its mailbox waits there again.
        const auto holdIn = back->verb == Verb::Hold && !job.byItself ? BulkAction::HoldIn::Mailbox
                                                                      : BulkAction::HoldIn::Itself;
        while (request != requests.end() &&
               (request->verb != back->verb || request->holdIn != holdIn)) {
            ++request;
        }
        if (request == requests.end()) {
            request = requests.insert(requests.end(), BulkRequest{.verb = back->verb});
            request->holdIn = holdIn;
            request->from = std::move(back->from);
        }
        request->selection.ids.push_back(job.id);
        request->selection.count = request->selection.ids.size();
        if (back->verb == Verb::Reschedule) {
            request->dues.push_back(job.due);
            if (job.forgotten) {
                request->forgotten.push_back(*job.forgotten);
            }
        }
        if (verb == Verb::Reschedule) {
            request->duesNow.push_back(job.given);
        }
    }
    return requests;
}

std::size_t staysReset(const std::vector<Changed>& changed)
{
    return static_cast<std::size_t>(
        std::count_if(changed.begin(), changed.end(), [](const Changed& job) {
            return job.forgotten && job.state == JobState::Held;
        }));
}

BulkRequest againOn(const BulkRequest& request, const std::vector<Changed>& changed)
{
    std::vector<std::string> ids;
    ids.reserve(changed.size());
    for (const auto& job : changed) {
        ids.push_back(job.id);
    }
    auto again = narrowed(request, std::move(ids));
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
        if (request.verb == Verb::Reschedule) {
            // As it was the first time, spread and all.
            again.dues.push_back(job.given);
        }
    }
    return again;
}

BulkRequest failedOf(const BulkRequest& request,
                     const std::vector<std::pair<std::string, Error>>& failures)
{
    std::vector<std::string> ids;
    ids.reserve(failures.size());
    for (const auto& [id, error] : failures) {
        ids.push_back(id);
    }
    return narrowed(request, std::move(ids));
}

std::optional<BulkRequest> restOf(const BulkRequest& request, const Ending& ending)
{
    const auto& [report, changed, complete] = ending;
    if (request.selection.all) {
        // Whatever it has changed may match again.
        if (!complete) {
            return std::nullopt;
        }
        auto rest = request;
        for (const auto& job : changed) {
            rest.selection.except.insert(job.id);
        }
        // What came in later was never among them.
        const auto touched = report.done + report.skipped - report.later;
        rest.selection.count =
            rest.selection.count > touched ? rest.selection.count - touched : report.failed;
        return rest.selection.count == 0 ? std::nullopt : std::optional(std::move(rest));
    }
    const auto& all = request.selection.ids;
    const auto reached = std::min<std::size_t>(all.size(), report.reached);
    std::vector<std::string> ids(all.begin() + static_cast<std::ptrdiff_t>(reached), all.end());
    const std::unordered_set<std::string_view> there(
        all.begin() + static_cast<std::ptrdiff_t>(reached), all.end());
    for (const auto& [id, error] : report.failures) {
        if (!there.contains(id)) {
            ids.push_back(id);
        }
    }
    return ids.empty() ? std::nullopt : std::optional(narrowed(request, std::move(ids)));
}

}  // namespace restante::gui
