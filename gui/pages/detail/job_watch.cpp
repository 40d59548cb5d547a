#include "gui/pages/detail/job_watch.h"

#include "gui/session/store_session.h"

#include <algorithm>
#include <utility>

namespace restante::gui {

void JobWatch::open(StoreSession* session)
{
    cancel();
    for (QObject* sender : std::initializer_list<QObject*>{source_, commands_, backend_}) {
        if (sender != nullptr) {
            sender->disconnect(this);
        }
    }
    source_ = session == nullptr ? nullptr : &session->source();
    commands_ = session == nullptr ? nullptr : &session->commands();
    backend_ = session == nullptr ? nullptr : &session->backend();
    if (session != nullptr) {
        connect(source_, &JobSource::changed, this, [this](const ChangeBatch& batch) {
            if (!batch.complete || std::ranges::find(batch.ids, id_) != batch.ids.end()) {
                refresh();
            }
        });
        connect(commands_, &JobCommands::written, this, &JobWatch::refresh);
        connect(backend_, &Backend::linkChanged, this, &JobWatch::handleLinkChange);
    }
    refusal_ = refusal();
    wasReady_ = isReady();
    follow({});
}

void JobWatch::follow(const std::string& id)
{
    if (id == id_ && !id.empty()) {
        refresh();
        return;
    }
    cancel();
    id_ = id;
    view_.reset();
    outlook_.reset();
    history_.reset();
    problem_.clear();
    historyProblem_.clear();
    phase_ = id.empty() || source_ == nullptr ? Phase::NoJob : Phase::Loading;
    emit changed();
    emit historyChanged();
    refresh();
}

void JobWatch::refresh()
{
    if (phase_ == Phase::NoJob || source_ == nullptr) {
        return;
    }
    if (jobRequest_ != 0) {
        refreshPending_ = true;
        return;
    }
    refreshPending_ = false;
    jobRequest_ = source_->show(
        id_, {this, [this](Result<JobView> answer) { handleJob(std::move(answer)); }});
    if (needsHistory()) {
        requestHistory();
    }
}

void JobWatch::setHistoryWanted(bool wanted)
{
    const bool isNewlyWanted = wanted && !historyWanted_;
    historyWanted_ = wanted;
    if (isNewlyWanted && phase_ != Phase::NoJob && source_ != nullptr) {
        requestHistory();
    }
}

/// One request at a time, for a slow journal: one begun anew with each change of the job would
/// never be answered.
void JobWatch::requestHistory()
{
    historyDue_ = historyRequest_ != 0;
    if (historyDue_) {
        return;
    }
    historyRequest_ = source_->history(id_, {this, [this](Result<std::vector<HistoryRow>> answer) {
                                                 handleHistory(std::move(answer));
                                             }});
}

/// Asks about the job as last seen, one request at a time, as for the history; if it has moved
/// since, a change follows and asks again.
void JobWatch::requestOutlook()
{
    outlookDue_ = outlookRequest_ != 0;
    if (outlookDue_) {
        return;
    }
    auto view = *view_;
    view.job.body.clear();
    outlookRequest_ = source_->outlook(std::move(view), {this, [this](Result<JobOutlook> answer) {
                                                             handleOutlook(std::move(answer));
                                                         }});
}

void JobWatch::handleOutlook(Result<JobOutlook> answer)
{
    outlookRequest_ = 0;
    if (answer) {
        outlook_ = std::move(*answer);
        emit changed();
    }
    if (outlookDue_ && source_ != nullptr) {
        requestOutlook();
    }
}

/// What has been found, or is on its way, is about the job as it was.
void JobWatch::dropOutlook()
{
    if (const auto requestId = std::exchange(outlookRequest_, 0); requestId != 0) {
        source_->cancel(requestId);
    }
    outlookDue_ = false;
    outlook_.reset();
}

void JobWatch::handleJob(Result<JobView> answer)
{
    jobRequest_ = 0;
    const bool wasGone = phase_ == Phase::Gone;
    problem_.clear();
    if (answer) {
        // The outlook applies only to the state for which it was computed.
        if (view_ && (view_->state != answer->state || view_->due != answer->due)) {
            dropOutlook();
        }
        view_ = std::move(*answer);
        phase_ = Phase::Loaded;
        requestOutlook();
    } else if (answer.error().code == ErrorCode::NotFound) {
        phase_ = Phase::Gone;
        dropOutlook();
    } else {
        phase_ = Phase::Failed;
        problem_ = QString::fromStdString(answer.error().message);
    }
    emit changed();
    // The history tells why the job is gone.
    if (phase_ == Phase::Gone && !wasGone) {
        requestHistory();
    }
    if (refreshPending_ && source_ != nullptr) {
        refresh();
    }
}

void JobWatch::handleHistory(Result<std::vector<HistoryRow>> answer)
{
    historyRequest_ = 0;
    historyProblem_.clear();
    if (answer) {
        history_ = std::move(*answer);
    } else if (answer.error().code == ErrorCode::NotFound) {
        history_.emplace();
    } else {
        historyProblem_ = QString::fromStdString(answer.error().message);
    }
    emit historyChanged();
    if (historyDue_ && needsHistory() && source_ != nullptr) {
        requestHistory();
    }
}

QString JobWatch::refusal() const
{
    return commands_ == nullptr ? tr("There is no connection.") : commands_->refusal();
}

bool JobWatch::isReady() const
{
    return backend_ != nullptr && backend_->link().phase == LinkState::Phase::Ready;
}

/// The signal is also emitted when only the latency has changed. What happened to the job while
/// the connection was lost, nobody told.
void JobWatch::handleLinkChange()
{
    auto newRefusal = refusal();
    if (newRefusal != refusal_) {
        refusal_ = std::move(newRefusal);
        emit changed();
    }
    const bool wasReady = std::exchange(wasReady_, isReady());
    if (wasReady_ && (!wasReady || phase_ == Phase::Failed)) {
        refresh();
    }
}

void JobWatch::cancel()
{
    for (const auto requestId : {std::exchange(jobRequest_, 0), std::exchange(historyRequest_, 0),
                                 std::exchange(outlookRequest_, 0)}) {
        if (requestId != 0 && source_ != nullptr) {
            source_->cancel(requestId);
        }
    }
    refreshPending_ = false;
    historyDue_ = false;
    outlookDue_ = false;
}

}  // namespace restante::gui
