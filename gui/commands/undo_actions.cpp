#include "gui/commands/job_actions.h"
#include "gui/operations/inverse.h"
#include "gui/operations/reason_text.h"
#include "gui/operations/verb_texts.h"
#include "gui/session/store_session.h"

#include <QPointer>

#include <algorithm>
#include <optional>
#include <utility>

namespace restante::gui {

// The part of JobActions that remembers, undoes and redoes steps.

/// A step that is being undone or redone. Shared by the callbacks that it waits for.
struct JobActions::StepRun {
    UndoStep step;
    StepDirection direction = StepDirection::Undo;
    std::size_t pending = 0;                   ///< requests that have not ended
    std::vector<SharedBulkRequest> remainder;  ///< what they did not do
    bool madeProgress = false;                 ///< something was done or skipped
    std::uint64_t connectionGeneration = 0;    ///< connectionGeneration_ when it began
};

namespace {

std::string reasonOf(const char* direction, const std::string& originalReason)
{
    return originalReason.empty() ? direction : std::string(direction) + ": " + originalReason;
}

/// The request that undoes the retry of a group of dead jobs: those that nobody has claimed yet
/// are buried again, with the last error that all of the group had.
std::optional<BulkRequest> buryAgainRequest(const BulkRequest& retry,
                                            const std::vector<JobBefore>& changed)
{
    const auto error = errorOfGroupRetry(QString::fromStdString(retry.reason)).toStdString();
    BulkRequest bury;
    bury.verb = BulkAction::Verb::Bury;
    bury.expectedStates = {JobState::Ready};
    bury.reason = error;
    for (const auto& before : changed) {
        if (before.state == JobState::Dead) {
            bury.selection.ids.push_back(before.id);
        }
    }
    bury.selection.count = bury.selection.ids.size();
    return error.empty() || bury.selection.ids.empty() ? std::nullopt : std::optional(bury);
}

}  // namespace

void JobActions::addUndoStep(const TaskBoard::Outcome& outcome)
{
    const auto& task = outcome.task;
    if (!outcome.changedIsComplete) {
        board_.setResult(task.id, tr("too many to be undone in one step"));
    }
    if (!task.request || outcome.changed.empty()) {
        return;
    }
    const auto count = outcome.changed.size();
    UndoStep step;
    step.title = stepTitle(task.request->verb, count);
    step.irreversibleJobs = count;
    for (auto& request : inverseOf(task.request->verb, outcome.changed)) {
        step.irreversibleJobs -= request.selection.count;
        request.reason = reasonOf("undo", task.request->reason);
        step.undoRequests.push_back(std::make_shared<const BulkRequest>(std::move(request)));
    }
    if (auto buryAgain = buryAgainRequest(*task.request, outcome.changed)) {
        step.irreversibleJobs -= buryAgain->selection.count;
        step.undoRequests.push_back(std::make_shared<const BulkRequest>(std::move(*buryAgain)));
    }
    step.task = task.id;
    const bool isSingleReschedule =
        task.request->verb == BulkAction::Verb::Reschedule && count == 1;
    const auto id = outcome.changed.front().id;
    if (!step.undoRequests.empty() && step.irreversibleJobs > 0) {
        board_.setResult(task.id,
                         tr("%1 of them cannot be undone").arg(numberText(step.irreversibleJobs)));
    }
    if (const auto resetCount = countKeepingReset(outcome.changed);
        step.irreversibleJobs == 0 && resetCount > 0) {
        board_.setResult(task.id,
                         tr("undo would hold %1 of them again, but leave their attempts reset")
                             .arg(numberText(resetCount)));
    }
    if (!step.undoRequests.empty()) {
        auto redo = redoRequest(*task.request, outcome.changed);
        redo.reason = reasonOf("redo", task.request->reason);
        step.redoRequests = {std::make_shared<const BulkRequest>(std::move(redo))};
        undoStack_.push(std::move(step));
    }
    if (isSingleReschedule) {
        reportNewDue(task.id, id);
    }
}

bool JobActions::mayWrite() const
{
    return session_ != nullptr && session_->commands().refusal().isEmpty();
}

bool JobActions::checkWritable()
{
    if (session_ == nullptr) {
        return false;
    }
    const auto refusal = session_->commands().refusal();
    if (!refusal.isEmpty()) {
        emit statusTextChanged(refusal);
    }
    return refusal.isEmpty();
}

void JobActions::undo()
{
    if (!isStepRunning_ && undoStack_.undoable() != nullptr && checkWritable()) {
        runStep(undoStack_.takeUndo(), StepDirection::Undo);
    }
}

void JobActions::undoTask(int task)
{
    if (!isStepRunning_ && undoStack_.canUndo(task) && checkWritable()) {
        runStep(undoStack_.takeUndo(task), StepDirection::Undo);
    }
}

void JobActions::redo()
{
    if (!isStepRunning_ && undoStack_.redoable() != nullptr && checkWritable()) {
        runStep(undoStack_.takeRedo(), StepDirection::Redo);
    }
}

/// One at a time: a step names the states in which the one before it leaves the jobs, and would
/// skip those that are not there yet.
void JobActions::runStep(UndoStep step, StepDirection direction)
{
    isStepRunning_ = true;
    emit stepsChanged();
    auto run = std::make_shared<StepRun>();
    run->direction = direction;
    run->connectionGeneration = connectionGeneration_;
    run->step = std::move(step);
    if (run->step.topic) {
        return runTopicStep(std::move(run));
    }
    const auto title = direction == StepDirection::Undo ? tr("Undo: %1") : tr("Redo: %1");
    const auto requests = !run->step.remainder.empty()       ? run->step.remainder
                          : direction == StepDirection::Undo ? run->step.undoRequests
                                                             : run->step.redoRequests;
    run->pending = requests.size();
    for (const auto& request : requests) {
        // Undoing or redoing a step is no new step.
        board_.run(request, title.arg(run->step.title), scopeText(request->selection),
                   [this, run](const TaskBoard::Outcome& outcome) {
                       const auto& task = outcome.task;
                       run->madeProgress = run->madeProgress || task.done > 0 || task.skipped > 0;
                       if (task.skipped > 0) {
                           board_.setResult(task.id,
                                            tr("what is skipped has been changed by others since"));
                       }
                       auto remainder = task.remainder;
                       if (!remainder && !task.failures.empty()) {
                           remainder = std::make_shared<const BulkRequest>(
                               failedPartOf(*task.request, task.failures));
                       }
                       if (remainder) {
                           run->remainder.push_back(std::move(remainder));
                       }
                       if (--run->pending == 0) {
                           finishStep(*run);
                       }
                   });
    }
}

/// Puts the step back on the stack: what the store did not do can be tried once more.
void JobActions::finishStep(StepRun& run)
{
    if (run.connectionGeneration != connectionGeneration_) {
        return;  // of a connection that is closed
    }
    auto& [step, direction, pending, remainder, madeProgress, connectionGeneration] = run;
    const bool succeeded = remainder.empty();
    if (succeeded) {
        step.remainder.clear();
    } else if (madeProgress) {
        step.remainder = std::move(remainder);
    }
    const auto next =
        succeeded == (direction == StepDirection::Redo) ? StepDirection::Undo : StepDirection::Redo;
    putBack(std::move(step), next);
}

/// Ends the run of a step: it is undone, or redone, next.
void JobActions::putBack(UndoStep step, StepDirection direction)
{
    isStepRunning_ = false;
    if (direction == StepDirection::Undo) {
        undoStack_.putUndo(std::move(step));
    } else {
        undoStack_.putRedo(std::move(step));
    }
    emit stepsChanged();  // also when the stack has forgotten it
}

void JobActions::addTopicStep(TopicStep topicStep)
{
    UndoStep step;
    const auto name = QString::fromStdString(topicStep.topic);
    step.title = topicStep.limits ? tr("Limits of “%1”").arg(name)
                 : topicStep.verb == JobWriter::TopicVerb::Pause
                     ? tr("Pause of “%1”").arg(name)
                     : tr("Resumption of “%1”").arg(name);
    step.topic = std::move(topicStep);
    undoStack_.push(std::move(step));
}

/// Reads the topic first: one that somebody else has paused, resumed or limited is not changed.
void JobActions::runTopicStep(std::shared_ptr<StepRun> run)
{
    session_->source().topics(
        {this, [this, run](const Result<std::vector<TopicView>>& topics) {
             if (session_ == nullptr || run->connectionGeneration != connectionGeneration_) {
                 return;
             }
             if (!topics) {
                 return handleTopicFailure(*run, topics.error());
             }
             const auto& topic = *run->step.topic;
             const auto view =
                 std::find_if(topics->begin(), topics->end(),
                              [&](const TopicView& one) { return one.topic == topic.topic; });
             if (topic.limits) {
                 const bool isUndo = run->direction == StepDirection::Undo;
                 const auto current = view == topics->end() ? TopicLimits{} : view->limits;
                 const auto& [before, after] = *topic.limits;
                 return current == (isUndo ? after : before)
                            ? applyLimits(run, isUndo ? before : after)
                            : dropAsChangedByOthers(topic.topic);
             }
             const auto pause = view == topics->end() ? std::optional<TopicPause>{} : view->pause;
             const bool resumes = (run->direction == StepDirection::Undo) ==
                                  (topic.verb == JobWriter::TopicVerb::Pause);
             const bool isUnchanged =
                 pause.has_value() == resumes && (!pause || pause->reason == topic.reason);
             isUnchanged ? pauseOrResumeTopic(run, resumes) : dropAsChangedByOthers(topic.topic);
         }});
}

/// Ends the run of a step that is not put back.
void JobActions::dropAsChangedByOthers(const std::string& topic)
{
    isStepRunning_ = false;
    emit stepsChanged();
    emit statusTextChanged(tr("“%1” has been changed by somebody else since: nothing was done")
                               .arg(QString::fromStdString(topic)));
}

void JobActions::applyLimits(const std::shared_ptr<StepRun>& run, const TopicLimits& limits)
{
    const bool isUndo = run->direction == StepDirection::Undo;
    const auto& topic = run->step.topic->topic;
    session_->commands().setTopicLimits(
        {topic, {}, reasonOf(isUndo ? "undo" : "redo", {})}, limits,
        {this, [this, run, topic](const Result<void>& done) {
             if (!done) {
                 return handleTopicFailure(*run, done.error());
             }
             emit statusTextChanged(
                 tr("The limits of “%1” are changed").arg(QString::fromStdString(topic)));
             finishStep(*run);
         }});
}

void JobActions::pauseOrResumeTopic(const std::shared_ptr<StepRun>& run, bool resumes)
{
    const auto& topic = *run->step.topic;
    // A pause keeps its own reason: people read it for as long as it lasts.
    TopicAction action{topic.topic, {}, topic.reason};
    if (resumes) {
        action.reason =
            reasonOf(run->direction == StepDirection::Undo ? "undo" : "redo", topic.reason);
    }
    session_->commands().changeTopic(
        resumes ? JobWriter::TopicVerb::Resume : JobWriter::TopicVerb::Pause, std::move(action),
        {this, [this, run, resumes](const Result<void>& done) {
             if (!done) {
                 return handleTopicFailure(*run, done.error());
             }
             const auto name = QString::fromStdString(run->step.topic->topic);
             emit statusTextChanged(resumes ? tr("“%1” is resumed").arg(name)
                                            : tr("“%1” is paused").arg(name));
             finishStep(*run);
         }});
}

void JobActions::handleTopicFailure(StepRun& run, const Error& error)
{
    if (run.connectionGeneration != connectionGeneration_) {
        return;
    }
    emit statusTextChanged(tr("%1: %2").arg(run.step.title, QString::fromStdString(error.message)));
    putBack(std::move(run.step), run.direction);
}

}  // namespace restante::gui
