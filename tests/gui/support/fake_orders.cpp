// What verbs do to the jobs of the fake store.

#include "core/redis/client/reply.h"
#include "tests/gui/support/fake_backend.h"

#include <QTimer>

#include <algorithm>

namespace restante::gui::test {

bool FakeBackend::isMeant(const BulkRequest& request, std::size_t at, const JobView& job) const
{
    const auto among = [&job](const std::vector<JobState>& states) {
        return states.empty() || std::find(states.begin(), states.end(), job.state) != states.end();
    };
    const auto& view = request.selection.view;
    const auto due = at < request.expectedDues.size() ? request.expectedDues[at] : TimePoint{};
    return view.combinedFilter().matches(job, time) && among(view.states) &&
           among(request.expectedStates) && (due == TimePoint{} || due == job.due);
}

std::vector<std::string> FakeBackend::idsOf(const BulkRequest& request) const
{
    if (!request.selection.all) {
        return request.selection.ids;
    }
    std::vector<std::string> ids;
    for (std::uint64_t at = 0; at < rows_; ++at) {
        ids.push_back("job-" + std::to_string(at));
    }
    for (const auto* view :
         rows_ == 0 ? matching(request.selection.view) : std::vector<const JobView*>{}) {
        const auto& asOf = request.selection.asOf;
        if (asOf == TimePoint{} || view->job.created <= asOf) {
            ids.push_back(view->job.id);
        }
    }
    std::erase_if(ids,
                  [&](const std::string& id) { return request.selection.except.count(id) != 0; });
    return ids;
}

RequestId FakeBackend::runBulk(BulkRequest request,
                               std::string actor,
                               std::function<void(const Progress&)> progress,
                               Reply<BulkReport> reply)
{
    const auto requestId = ++lastRequestId_;
    auto ids = idsOf(request);
    bulkRequests.push_back(request);
    actors.push_back(std::move(actor));
    auto running = std::make_unique<Running>(
        Running{std::move(request), std::move(ids), 0, {}, std::move(progress), std::move(reply)});
    running->progress.expected = running->ids.size();
    running_.emplace(requestId, std::move(running));
    QTimer::singleShot(latencyMs, this, [this, requestId] { step(requestId); });
    return requestId;
}

TimePoint FakeBackend::dueOf(const BulkRequest& request, std::size_t at)
{
    return at < request.dues.size() ? request.dues[at] : request.due;
}

void FakeBackend::note(const BulkRequest& request, const std::string& id)
{
    HistoryRow row;
    row.at = time;
    row.transition = name(request.verb);
    row.worker = "console/1";
    row.actor = actors.back();
    row.reason = request.reason;
    if (request.attempts == BulkAction::Attempts::Reset) {
        row.reason += " (attempts reset)";
    }
    histories[id].push_back(row);
    AuditRow audit;
    audit.at = time;
    audit.actor = QString::fromStdString(row.actor);
    audit.verb = QString::fromStdString(row.transition);
    audit.object = QString::fromStdString(id);
    audit.reason = QString::fromStdString(row.reason);
    auditRows.insert(auditRows.begin(), audit);
}

void FakeBackend::apply(const BulkRequest& request, std::size_t at, JobView& view)
{
    using Verb = BulkAction::Verb;
    switch (request.verb) {
    case Verb::Trash:
        wasBefore_[view.job.id] = view.state;
        view.state = JobState::Trashed;
        break;
    case Verb::Restore: {
        const auto before = wasBefore_.find(view.job.id);
        view.state = before == wasBefore_.end() ? JobState::Scheduled : before->second;
        break;
    }
    case Verb::Reschedule:
        view.state = JobState::Scheduled;
        view.due = dueOf(request, at);
        view.attemptOffset = attemptOffsetOf(request, at, view);
        break;
    case Verb::Hold: view.state = JobState::Held; break;
    case Verb::Release:
    case Verb::RunNow: view.state = JobState::Ready; break;
    case Verb::Bury: view.state = JobState::Dead; break;
    default: break;
    }
    note(request, view.job.id);
}

std::uint32_t
FakeBackend::attemptOffsetOf(const BulkRequest& request, std::size_t at, const JobView& job)
{
    if (at < request.attemptOffsets.size()) {
        return std::min(request.attemptOffsets[at], job.attempt);
    }
    return request.attempts == BulkAction::Attempts::Reset ? job.attempt : job.attemptOffset;
}

void FakeBackend::step(RequestId requestId)
{
    auto& running = *running_.at(requestId);
    auto& report = running.progress.report;
    const auto until =
        running.stopping ? running.at : std::min(running.ids.size(), running.at + actStep);
    running.progress.changed.clear();
    for (; running.at < until; ++running.at) {
        if (gone) {
            break;
        }
        const auto& id = running.ids[running.at];
        const auto found = std::find_if(jobs.begin(), jobs.end(),
                                        [&](const JobView& view) { return view.job.id == id; });
        const auto state = found == jobs.end() ? JobState::Scheduled : found->state;
        const auto due = found == jobs.end() ? TimePoint{} : found->due;
        ++report.examined;
        if (found != jobs.end() && !isMeant(running.request, running.at, *found)) {
            ++report.skipped;
            continue;
        }
        ++report.matched[state];
        ++report.topics[found == jobs.end() ? "order" : found->job.topic];
        if (running.request.mode == BulkRequest::Mode::DryRun) {
            continue;
        }
        if (failing.count(id) != 0) {
            ++report.failed;
            report.failures.emplace_back(id, Error{ErrorCode::Unavailable, "no answer in time"});
        } else if (skipped.count(id) != 0) {
            ++report.skipped;
        } else {
            ++report.done;
            const bool given = running.request.verb == BulkAction::Verb::Reschedule;
            running.progress.changed.push_back(
                {id, state, due, given ? dueOf(running.request, running.at) : TimePoint{}, {}});
            if (running.request.attempts == BulkAction::Attempts::Reset) {
                running.progress.changed.back().attemptOffset =
                    found == jobs.end() ? 0 : found->attemptOffset;
            }
            if (found != jobs.end()) {
                apply(running.request, running.at, *found);
            }
        }
    }
    report.idsProcessed = running.at;
    report.stopped = running.stopping;
    if (running.tell) {
        running.tell(running.progress);
    }
    if (gone) {
        auto finished = std::move(running_.at(requestId));
        running_.erase(requestId);
        return finished->reply(failure(ErrorCode::Unavailable, "not connected to the store"));
    }
    if (running.stopping || running.at == running.ids.size()) {
        auto finished = std::move(running_.at(requestId));
        running_.erase(requestId);
        finished->reply(finished->progress.report);
        return;
    }
    QTimer::singleShot(latencyMs, this, [this, requestId] { step(requestId); });
}

void FakeBackend::stop(RequestId requestId)
{
    if (const auto found = running_.find(requestId); found != running_.end()) {
        found->second->stopping = true;
    }
}

}  // namespace restante::gui::test
