#include "gui/commands/job_actions.h"

#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/operations/confirmation.h"
#include "gui/operations/verb_texts.h"
#include "gui/pages/dialogs/confirm_dialog.h"
#include "gui/pages/dialogs/reschedule_dialog.h"
#include "gui/pages/page.h"
#include "gui/session/store_session.h"
#include "gui/theme/time_text.h"

#include <QAction>

namespace restante::gui {

namespace {

using Verb = BulkAction::Verb;

}  // namespace

JobActions::JobActions(Context context, TaskBoard& board, QWidget* window)
    : QObject(window),
      context_(context),
      board_(board),
      window_(window)
{
    board_.setEndedHandler([this](const TaskBoard::Outcome& outcome) { addUndoStep(outcome); });
    connect(&undoStack_, &UndoStack::changed, this, &JobActions::stepsChanged);
    connectActions();
}

void JobActions::connectActions()
{
    auto& actions = context_.actions;
    const auto on = [&](ActionId id, auto&& handler) {
        connect(actions[id], &QAction::triggered, this, handler);
    };
    on(ActionId::RunNow, [this] { start(Verb::RunNow); });
    on(ActionId::Reschedule, [this] { start(Verb::Reschedule); });
    on(ActionId::Restore, [this] { start(Verb::Restore); });
    on(ActionId::Trash, [this] { start(Verb::Trash); });
    on(ActionId::DeletePermanently, [this] { start(Verb::Purge); });
    on(ActionId::Hold, [this] {
        if (auto* shown = page()) {
            start(shown->selection().heldOnly() ? Verb::Release : Verb::Hold);
        }
    });
    on(ActionId::NewJob, [this] { newJob(); });
    on(ActionId::DuplicateAsNew, [this] { duplicate(); });
    on(ActionId::NewReminder, [this] { newReminder(); });
    on(ActionId::TestMessage, [this] { testMessage(); });
    on(ActionId::GoToJob, [this] { goToJob(); });
    on(ActionId::PauseTopic, [this] { pauseOrResume(); });
    on(ActionId::Export, [this] { exportJobs(); });
    on(ActionId::Import, [this] { importJobs(); });
    on(ActionId::Undo, [this] { undo(); });
    on(ActionId::Redo, [this] { redo(); });
}

void JobActions::open(StoreSession* session)
{
    for (const auto& dialog : dialogs_) {
        delete dialog;
    }
    dialogs_.clear();
    for (const auto& work : transfers_) {
        delete work;
    }
    transfers_.clear();
    session_ = session;
    ++connectionGeneration_;
    disconnect(linkConnection_);
    if (session_ != nullptr) {
        // Whether a step can be undone depends on the connection.
        linkConnection_ =
            connect(&session_->backend(), &Backend::linkChanged, this, &JobActions::stepsChanged);
    }
    board_.open(session);
    isStepRunning_ = false;
    undoStack_.clear();
}

const SelectionOwner* JobActions::selectionOwner() const
{
    return dynamic_cast<const SelectionOwner*>(page());
}

void JobActions::start(Verb verb)
{
    if (const auto* from = selectionOwner()) {
        start(verb, from->selected());
    }
}

void JobActions::start(Verb verb, const Selection& selection)
{
    if (session_ == nullptr || selection.empty()) {
        return;
    }
    if (verb == Verb::Reschedule) {
        return reschedule(selection);
    }
    BulkRequest request;
    request.verb = verb;
    request.selection = selection;
    confirmAndRun(std::move(request));
}

void JobActions::start(const BulkRequest& request)
{
    if (session_ != nullptr && !request.selection.empty()) {
        confirmAndRun(request);
    }
}

void JobActions::startAtOnce(const BulkRequest& request)
{
    if (session_ == nullptr || request.selection.empty()) {
        return;
    }
    const bool needsConfirmation = !request.selection.exact ||
                                   confirmationOf(request) == Confirmation::TypeCount ||
                                   session_->profile().mode == AccessMode::Production;
    if (needsConfirmation) {
        return confirmAndRun(request);
    }
    run(request, request.selection.count);
}

void JobActions::reschedule(const Selection& selection)
{
    auto* dialog = new RescheduleDialog(*session_, context_.preferences, selection, window_);
    connect(dialog, &RescheduleDialog::rescheduleRequested, this,
            [this, dialog](const BulkRequest& request) {
                chosenZone_ = dialog->zone();
                confirmAndRun(request);
            });
    showDialog(dialog);
}

/// Asks the store for the new due time, which may differ from the one that was requested.
void JobActions::reportNewDue(int task, const std::string& id)
{
    if (session_ == nullptr) {
        return;
    }
    session_->source().show(id, {this, [this, task](const Result<JobView>& view) {
                                     if (view) {
                                         const auto zone = chosenZone_.isValid()
                                                               ? chosenZone_
                                                               : zoneOf(context_.preferences);
                                         auto text = tr("now due %1").arg(timeIn(zone, view->due));
                                         const auto* shownTask = board_.task(task);
                                         if (shownTask != nullptr && !shownTask->result.isEmpty()) {
                                             text += QStringLiteral(" · ") + shownTask->result;
                                         }
                                         board_.setResult(task, text);
                                     }
                                 }});
}

Confirmation JobActions::confirmationOf(const BulkRequest& request) const
{
    return confirmationFor(request.verb, request.selection, session_->profile().mode,
                           static_cast<std::uint64_t>(context_.preferences.typedCountFrom()),
                           static_cast<std::uint64_t>(context_.preferences.productionCountFrom()));
}

void JobActions::confirmAndRun(BulkRequest request)
{
    const auto confirmation = confirmationOf(request);
    if (confirmation == Confirmation::None) {
        const auto count = request.selection.count;
        return run(request, count);
    }
    auto* dialog = new ConfirmDialog(*session_, std::move(request), confirmation, window_);
    connect(dialog, &ConfirmDialog::confirmed, this, &JobActions::run);
    showDialog(dialog);
}

void JobActions::showDialog(QDialog* dialog)
{
    std::erase_if(dialogs_, [](const auto& closed) { return closed == nullptr; });
    std::erase_if(transfers_, [](const auto& closed) { return closed == nullptr; });
    dialogs_.emplace_back(dialog);
    dialog->open();
}

void JobActions::run(const BulkRequest& request, std::uint64_t count)
{
    auto counted = request;
    counted.selection.count = count;
    board_.run(std::move(counted), stepTitle(request.verb, count), scopeText(request.selection));
}

}  // namespace restante::gui
