#include "gui/commands/job_actions.h"
#include "gui/operations/inverse.h"
#include "gui/operations/verb_texts.h"
#include "gui/session/store_session.h"

#include <QPointer>

#include <algorithm>
#include <utility>

namespace restante::gui {

// The part of JobActions that remembers steps, takes them back and does them again.

/// A step on its way back, or on its way again. Shared by the answers that it waits for.
struct JobActions::Stepping {
    UndoStep step;
    StepDirection direction = StepDirection::Back;
    std::size_t missing = 0;              ///< requests that have not ended
    std::vector<SharedBulkRequest> rest;  ///< what they have left
    bool begun = false;                   ///< something was done, or left alone on purpose
    std::uint64_t generation = 0;         ///< of the connection
};

namespace {

std::string reasonOf(const char* direction, const std::string& first)
{
    return first.empty() ? direction : std::string(direction) + ": " + first;
}

}  // namespace

void JobActions::remember(const TaskBoard::Outcome& outcome)
{
    const auto& task = outcome.task;
    if (!outcome.complete) {
        board_.setResult(task.id, tr("too many to be undone in one step"));
    }
    if (!task.request || outcome.changed.empty()) {
        return;
    }
    const auto count = outcome.changed.size();
    UndoStep step;
    step.deed = deedText(task.request->verb, count);
    step.left = count;
    for (auto& request : inverseOf(task.request->verb, outcome.changed)) {
        step.left -= request.selection.count;
        request.reason = reasonOf("undo", task.request->reason);
        step.back.push_back(std::make_shared<const BulkRequest>(std::move(request)));
    }
    step.task = task.id;
    const bool oneIsDue = task.request->verb == BulkAction::Verb::Reschedule && count == 1;
    const auto id = outcome.changed.front().id;
    if (!step.back.empty() && step.left > 0) {
        board_.setResult(task.id, tr("%1 of them cannot be undone").arg(numberText(step.left)));
    }
    if (const auto reset = staysReset(outcome.changed); step.left == 0 && reset > 0) {
        board_.setResult(task.id,
                         tr("undo would hold %1 of them again, but leave their attempts reset")
                             .arg(numberText(reset)));
    }
    if (!step.back.empty()) {
        auto again = againOn(*task.request, outcome.changed);
        again.reason = reasonOf("redo", task.request->reason);
        step.again = {std::make_shared<const BulkRequest>(std::move(again))};
        steps_.push(std::move(step));
    }
    if (oneIsDue) {
        tellDue(task.id, id);
    }
}

bool JobActions::mayWrite() const
{
    return session_ != nullptr && session_->commands().refusal().isEmpty();
}

bool JobActions::mayStep()
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
    if (steps_.undoable() != nullptr && mayStep()) {
        go(steps_.takeUndo(), StepDirection::Back);
    }
}

void JobActions::undoTask(int task)
{
    if (steps_.has(task) && mayStep()) {
        go(steps_.takeUndo(task), StepDirection::Back);
    }
}

void JobActions::redo()
{
    if (steps_.redoable() != nullptr && mayStep()) {
        go(steps_.takeRedo(), StepDirection::Again);
    }
}

void JobActions::go(UndoStep step, StepDirection direction)
{
    auto stepping = std::make_shared<Stepping>();
    stepping->direction = direction;
    stepping->generation = generation_;
    stepping->step = std::move(step);
    if (stepping->step.topic) {
        return goTopic(std::move(stepping));
    }
    const auto title = direction == StepDirection::Back ? tr("Undo: %1") : tr("Redo: %1");
    const auto requests =
        direction == StepDirection::Back ? stepping->step.back : stepping->step.again;
    stepping->missing = requests.size();
    for (const auto& request : requests) {
        // What takes a step back is no step of its own.
        board_.run(request, title.arg(stepping->step.deed), scopeText(request->selection),
                   [this, stepping](const TaskBoard::Outcome& outcome) {
                       const auto& task = outcome.task;
                       stepping->begun = stepping->begun || task.done > 0 || task.skipped > 0;
                       if (task.skipped > 0) {
                           board_.setResult(task.id,
                                            tr("what is skipped has been changed by others since"));
                       }
                       auto rest = task.rest;
                       if (!rest && !task.failures.empty()) {
                           rest = std::make_shared<const BulkRequest>(
                               failedOf(*task.request, task.failures));
                       }
                       if (rest) {
                           stepping->rest.push_back(std::move(rest));
                       }
                       if (--stepping->missing == 0) {
                           stepped(*stepping);
                       }
                   });
    }
}

/// Where the step belongs now: what the store did not do can be tried once more.
void JobActions::stepped(Stepping& stepping)
{
    if (stepping.generation != generation_) {
        return;  // of a connection that is closed
    }
    auto& [step, direction, missing, rest, begun, generation] = stepping;
    const bool through = rest.empty();
    if (!through && begun) {
        // The other direction leaves alone whatever is not where this one has put it.
        (direction == StepDirection::Back ? step.back : step.again) = std::move(rest);
    }
    const bool done = (direction == StepDirection::Again) == through;
    if (done) {
        steps_.putDone(std::move(step));
    } else {
        steps_.putUndone(std::move(step));
    }
}

void JobActions::rememberTopic(TopicStep topic)
{
    UndoStep step;
    const auto name = QString::fromStdString(topic.topic);
    step.deed = topic.done == JobWriter::TopicVerb::Pause ? tr("Pause of “%1”").arg(name)
                                                          : tr("Resumption of “%1”").arg(name);
    step.topic = std::move(topic);
    steps_.push(std::move(step));
}

/// Looks first: a topic that somebody else has paused or resumed since is left as it is.
void JobActions::goTopic(std::shared_ptr<Stepping> stepping)
{
    session_->source().topics(
        {this, [this, stepping](const Result<std::vector<TopicView>>& topics) {
             if (session_ == nullptr || stepping->generation != generation_) {
                 return;
             }
             if (!topics) {
                 return failedTopic(*stepping, topics.error());
             }
             const auto& topic = *stepping->step.topic;
             const auto view =
                 std::find_if(topics->begin(), topics->end(),
                              [&](const TopicView& one) { return one.topic == topic.topic; });
             const auto pause = view == topics->end() ? std::optional<TopicPause>{} : view->pause;
             const bool resumes = (stepping->direction == StepDirection::Back) ==
                                  (topic.done == JobWriter::TopicVerb::Pause);
             const bool asLeft =
                 pause.has_value() == resumes && (!pause || pause->reason == topic.reason);
             if (!asLeft) {
                 emit statusTextChanged(
                     tr("“%1” has been changed by somebody else since: nothing was done")
                         .arg(QString::fromStdString(topic.topic)));
                 return;
             }
             actOnTopic(stepping, resumes);
         }});
}

void JobActions::actOnTopic(const std::shared_ptr<Stepping>& stepping, bool resumes)
{
    const auto& topic = *stepping->step.topic;
    // A pause keeps its own reason: people read it for as long as it lasts.
    TopicAction action{topic.topic, {}, topic.reason};
    if (resumes) {
        action.reason =
            reasonOf(stepping->direction == StepDirection::Back ? "undo" : "redo", topic.reason);
    }
    session_->commands().topic(
        resumes ? JobWriter::TopicVerb::Resume : JobWriter::TopicVerb::Pause, std::move(action),
        {this, [this, stepping, resumes](const Result<void>& done) {
             if (!done) {
                 return failedTopic(*stepping, done.error());
             }
             const auto name = QString::fromStdString(stepping->step.topic->topic);
             emit statusTextChanged(resumes ? tr("“%1” is resumed").arg(name)
                                            : tr("“%1” is paused").arg(name));
             stepped(*stepping);
         }});
}

void JobActions::failedTopic(Stepping& stepping, const Error& error)
{
    if (stepping.generation != generation_) {
        return;
    }
    emit statusTextChanged(
        tr("%1: %2").arg(stepping.step.deed, QString::fromStdString(error.message)));
    if (stepping.direction == StepDirection::Back) {
        steps_.putDone(std::move(stepping.step));
    } else {
        steps_.putUndone(std::move(stepping.step));
    }
}

}  // namespace restante::gui
