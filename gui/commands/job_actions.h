#pragma once

#include "gui/actions/context.h"
#include "gui/operations/confirmation.h"
#include "gui/operations/export_text.h"
#include "gui/operations/task_board.h"
#include "gui/operations/undo_stack.h"
#include "gui/pages/selection_owner.h"

#include <QObject>
#include <QPointer>
#include <QTimeZone>

#include <functional>
#include <memory>
#include <string>
#include <vector>

class QDialog;
class QWidget;

namespace restante::reminder {
struct SeriesView;
}

namespace restante::gui {

struct JobForm;
class Page;
class ReminderDialog;
class StoreSession;

/// Connects the commands that change jobs and topics with what is selected: decides whether a
/// dialog asks first, runs the bulk request on the task board, and remembers how to undo it.
/// *Thread of the window.*
class JobActions : public QObject {
    Q_OBJECT

public:
    /// `window` is what dialogs belong to; both outlive this.
    JobActions(Context context, TaskBoard& board, QWidget* window);

    /// Null = no connection. Closes open dialogs, exports and imports.
    void open(StoreSession* session);
    /// Sets the function that returns the visible page, whose selection the commands use.
    void setPage(std::function<Page*()> page) { page_ = std::move(page); }

    /// Applies the verb to the selection of the visible page, after the confirmation that it needs.
    void start(BulkAction::Verb verb);
    /// Applies the verb to this selection, for the buttons of a detail or of the tasks.
    void start(BulkAction::Verb verb, const Selection& selection);
    /// Runs this request, after the confirmation that it needs.
    void start(const BulkRequest& request);
    /// The same without a dialog, unless it is a production connection, the preferences require the
    /// count to be typed or the selection is not exact: for a button that names the number of
    /// exactly these jobs. The task strip offers to undo it.
    void startAtOnce(const BulkRequest& request);
    /// Opens the form of a recurring reminder.
    void editSeries(const reminder::SeriesView& series);
    void newReminder();
    /// Opens an empty form for a recurring reminder.
    void newRecurringReminder();
    /// Opens a form for a SIP message to that address.
    void newMessageTo(const QString& recipient);
    /// Changes the limits of a topic; `limits.before` is what undo restores.
    void limitTopic(const std::string& topic, const LimitChange& limits);
    void undo();
    void redo();
    void undoTask(int task);
    /// Whether a step can be undone or redone at the moment: they run one at a time.
    bool mayRunStep() const { return mayWrite() && !isStepRunning_; }
    void exportTo(const Selection& selection, const QString& file, const ExportOptions& options);
    void importFrom(const QString& file);
    /// Whether anything can be written at the moment.
    bool mayWrite() const;
    const UndoStack& steps() const noexcept { return undoStack_; }
    bool isStepRunning() const noexcept { return isStepRunning_; }
    TaskBoard& board() noexcept { return board_; }

signals:
    /// Show this job: the user asked for its id, or has just created it.
    void jobRequested(const QString& id);
    /// Show this recurring reminder, which was just created or changed.
    void seriesRequested(const QString& id);
    /// A sentence for the status bar: "“order” is paused".
    void statusTextChanged(const QString& text);
    /// Undo or redo would now do something else.
    void stepsChanged();
    /// The store has refused these limits; `why` is a sentence.
    void limitsRefused(const std::string& topic, const QString& why);

private:
    void connectActions();
    Confirmation confirmationOf(const BulkRequest& request) const;
    void confirmAndRun(BulkRequest request);
    void run(const BulkRequest& request, std::uint64_t count);
    void addUndoStep(const TaskBoard::Outcome& outcome);
    enum class StepDirection { Undo, Redo };
    struct StepRun;
    /// Whether the connection can be written to; if not, the status bar says why.
    bool checkWritable();
    void runStep(UndoStep step, StepDirection direction);
    void finishStep(StepRun& run);
    void putBack(UndoStep step, StepDirection direction);
    void addTopicStep(TopicStep topicStep);
    void runTopicStep(std::shared_ptr<StepRun> run);
    void pauseOrResumeTopic(const std::shared_ptr<StepRun>& run, bool resumes);
    void applyLimits(const std::shared_ptr<StepRun>& run, const TopicLimits& limits);
    void dropAsChangedByOthers(const std::string& topic);
    void handleTopicFailure(StepRun& run, const Error& error);
    void resume(const std::string& topic, const std::string& pauseReason);
    void reportNewDue(int task, const std::string& id);
    void reschedule(const Selection& selection);
    void pauseOrResume();
    void newJob();
    void openJobDialog(const JobForm& form);
    void duplicate();
    void testMessage();
    void openReminderDialog(const std::function<void(ReminderDialog&)>& prepare);
    void goToJob();
    void exportJobs();
    void importJobs();
    void showDialog(QDialog* dialog);
    const SelectionOwner* selectionOwner() const;
    Page* page() const { return page_ ? page_() : nullptr; }

    Context context_;
    TaskBoard& board_;
    QWidget* window_;
    StoreSession* session_ = nullptr;
    UndoStack undoStack_;
    bool isStepRunning_ = false;  ///< a step is being undone or redone; it is off the stack
    QMetaObject::Connection linkConnection_;
    std::uint64_t connectionGeneration_ =
        0;  ///< rises with each open(): steps of an earlier connection are dropped
    std::function<Page*()> page_;
    std::vector<QPointer<QDialog>> dialogs_;
    std::vector<QPointer<QObject>> transfers_;  ///< running exports and imports
    QTimeZone chosenZone_;                      ///< the zone that was chosen last for a due time
};

}  // namespace restante::gui
