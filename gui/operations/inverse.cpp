#include "gui/operations/inverse.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace restante::gui {

namespace {

using Verb = BulkAction::Verb;

/// The verb that undoes another one, and the states in which that has left the jobs.
struct Inverse {
    Verb verb;
    std::vector<JobState> from;
};

/// A scheduled job becomes ready by itself: where one state is expected, so is the other.
const std::vector<JobState> kWaitingStates{JobState::Scheduled, JobState::Ready};

bool isWaiting(JobState state)
{
    return state == JobState::Scheduled || state == JobState::Ready;
}

/// The states of a Scheduled, Ready or Held job after the verb.
std::vector<JobState> statesAfter(Verb verb)
{
    switch (verb) {
    case Verb::Hold: return {JobState::Held};
    case Verb::RunNow: return {JobState::Ready};  // a later time was somebody else's
    default: return kWaitingStates;
    }
}

std::optional<Inverse> inverse(Verb verb, JobState before)
{
    switch (verb) {
    case Verb::Trash: return Inverse{Verb::Restore, {JobState::Trashed}};
    case Verb::Restore:
        // A job that is leased by now is not taken away from its worker.
        return before == JobState::Trashed
                   ? std::optional(Inverse{Verb::Trash,
                                           {JobState::Scheduled, JobState::Ready, JobState::Held,
                                            JobState::Dead, JobState::Done}})
                   : std::nullopt;
    case Verb::Release:
        return before == JobState::Held ? std::optional(Inverse{Verb::Hold, kWaitingStates})
                                        : std::nullopt;
    case Verb::Hold:
    case Verb::RunNow:
    case Verb::Reschedule:
        // Of a ready or scheduled job only the due time has changed.
        return isWaiting(before) ? std::optional(Inverse{Verb::Reschedule, statesAfter(verb)})
               : before == JobState::Held ? std::optional(Inverse{Verb::Hold, statesAfter(verb)})
                                          : std::nullopt;
    case Verb::Finish:
    case Verb::Bury:
    case Verb::Purge: break;
    }
    return std::nullopt;
}

template <class T>
std::vector<std::string> idsOf(const std::vector<T>& items, std::string T::*id)
{
    std::vector<std::string> ids;
    ids.reserve(items.size());
    for (const auto& item : items) {
        ids.push_back(item.*id);
    }
    return ids;
}

/// The same bulk request for some of its ids. Due times and attempts of the single jobs are
/// parallel to the ids.
BulkRequest restrictedTo(const BulkRequest& request, std::vector<std::string> ids)
{
    const auto& allIds = request.selection.ids;
    std::unordered_map<std::string_view, std::size_t> indexes;
    if (!request.dues.empty() || !request.expectedDues.empty() || !request.attemptOffsets.empty()) {
        for (std::size_t at = 0; at < allIds.size(); ++at) {
            indexes.emplace(allIds[at], at);
        }
    }
    const auto valuesOf = [&](const auto& values, auto fallback) {
        std::vector<decltype(fallback)> restricted;
        for (std::size_t at = 0; at < ids.size() && !values.empty(); ++at) {
            const auto found = indexes.find(ids[at]);
            const bool has = found != indexes.end() && found->second < values.size();
            restricted.push_back(has ? values[found->second] : fallback);
        }
        return restricted;
    };
    BulkRequest restricted = request;
    restricted.selection = {};
    restricted.selection.view = request.selection.view;  // a job that no longer matches is skipped
    restricted.dues = valuesOf(request.dues, request.due);
    restricted.expectedDues = valuesOf(request.expectedDues, TimePoint{});
    restricted.attemptOffsets = valuesOf(request.attemptOffsets, std::uint32_t{0});
    restricted.selection.ids = std::move(ids);
    restricted.selection.count = restricted.selection.ids.size();
    return restricted;
}

}  // namespace

std::vector<BulkRequest> inverseOf(Verb verb, const std::vector<JobBefore>& changed)
{
    std::vector<BulkRequest> requests;
    for (const auto& job : changed) {
        auto undo = inverse(verb, job.state);
        if (!undo) {
            continue;
        }
        auto request = requests.begin();
        // A message that waited in its mailbox goes back there.
        const auto holdPlace = undo->verb == Verb::Hold && !job.heldOutsideMailbox
                                   ? BulkAction::HoldPlace::InMailbox
                                   : BulkAction::HoldPlace::OutsideMailbox;
        while (request != requests.end() &&
               (request->verb != undo->verb || request->holdPlace != holdPlace)) {
            ++request;
        }
        if (request == requests.end()) {
            request = requests.insert(requests.end(), BulkRequest{.verb = undo->verb});
            request->holdPlace = holdPlace;
            request->expectedStates = std::move(undo->from);
        }
        request->selection.ids.push_back(job.id);
        request->selection.count = request->selection.ids.size();
        if (undo->verb == Verb::Reschedule) {
            request->dues.push_back(job.due);
            if (job.attemptOffset) {
                request->attemptOffsets.push_back(*job.attemptOffset);
            }
        }
        if (verb == Verb::Reschedule) {
            request->expectedDues.push_back(job.newDue);
        }
    }
    return requests;
}

std::size_t countKeepingReset(const std::vector<JobBefore>& changed)
{
    return static_cast<std::size_t>(
        std::count_if(changed.begin(), changed.end(), [](const JobBefore& job) {
            return job.attemptOffset && job.state == JobState::Held;
        }));
}

BulkRequest redoRequest(const BulkRequest& request, const std::vector<JobBefore>& changed)
{
    auto redo = restrictedTo(request, idsOf(changed, &JobBefore::id));
    redo.expectedStates.clear();
    redo.dues.clear();
    redo.expectedDues.clear();
    redo.expectedDues.reserve(changed.size());
    const auto addExpectedState = [&redo](JobState state) {
        if (std::find(redo.expectedStates.begin(), redo.expectedStates.end(), state) ==
            redo.expectedStates.end()) {
            redo.expectedStates.push_back(state);
        }
    };
    for (const auto& job : changed) {
        addExpectedState(job.state);
        if (isWaiting(job.state)) {
            addExpectedState(JobState::Scheduled);
            addExpectedState(JobState::Ready);
        }
        redo.expectedDues.push_back(isWaiting(job.state) ? job.due : TimePoint{});
        if (request.verb == Verb::Reschedule) {
            // The due time that the job got the first time, with its spread.
            redo.dues.push_back(job.newDue);
        }
    }
    return redo;
}

BulkRequest failedPartOf(const BulkRequest& request,
                         const std::vector<std::pair<std::string, Error>>& failures)
{
    return restrictedTo(request, idsOf(failures, &std::pair<std::string, Error>::first));
}

std::optional<BulkRequest> remainderOf(const BulkRequest& request, const BulkResult& result)
{
    const auto& [report, changed, changedIsComplete] = result;
    if (request.selection.all) {
        // Changed jobs may match again, and must be excluded.
        if (!changedIsComplete) {
            return std::nullopt;
        }
        auto remainder = request;
        for (const auto& job : changed) {
            remainder.selection.except.insert(job.id);
        }
        // Jobs that arrived later were not counted.
        const auto changedOrSkipped = report.done + report.skipped - report.skippedAsNewer;
        remainder.selection.count = remainder.selection.count > changedOrSkipped
                                        ? remainder.selection.count - changedOrSkipped
                                        : report.failed;
        return remainder.selection.count == 0 ? std::nullopt : std::optional(std::move(remainder));
    }
    const auto& allIds = request.selection.ids;
    const auto processed = std::min<std::size_t>(allIds.size(), report.idsProcessed);
    std::vector<std::string> ids(allIds.begin() + static_cast<std::ptrdiff_t>(processed),
                                 allIds.end());
    const std::unordered_set<std::string_view> unprocessed(
        allIds.begin() + static_cast<std::ptrdiff_t>(processed), allIds.end());
    for (const auto& [id, error] : report.failures) {
        if (!unprocessed.contains(id)) {
            ids.push_back(id);
        }
    }
    return ids.empty() ? std::nullopt : std::optional(restrictedTo(request, std::move(ids)));
}

}  // namespace restante::gui
