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
/// dialog asks first, runs the bulk request on the task board, and remembers how to take it back.
/// *Thread of the window.*
class JobActions : public QObject {
    Q_OBJECT

public:
    /// `window` is what dialogs belong to; both outlive this.
    JobActions(Context context, TaskBoard& board, QWidget* window);

    /// Null = no connection; dialogs that are open are closed.
    void open(StoreSession* session);
    /// Where the selection comes from: the page that is in front.
    void setPage(std::function<Page*()> page) { page_ = std::move(page); }

    /// The verb on what is selected, with whatever is asked first.
    void start(BulkAction::Verb verb);
    /// The verb on exactly that, for the buttons of a detail or of the tasks.
    void start(BulkAction::Verb verb, const Selection& selection);
    /// Exactly that, after what is asked first for what it does.
    void start(const BulkRequest& request);
    /// The same at once, unless the connection or the preferences want so many to be asked about:
    /// for a button beside the number of exactly these jobs, whose undo stands in the task strip.
    void startAtOnce(const BulkRequest& request);
    /// A form for the recurring reminder.
    void editSeries(const reminder::SeriesView& series);
    void newReminder();
    /// The same, of one that comes again and again.
    void newSeries();
    /// A form for a SIP message to that address.
    void writeTo(const QString& recipient);
    /// Gives a topic other limits, in place of those that were seen.
    void limitTopic(const std::string& topic, const LimitChange& limits);
    void undo();
    void redo();
    void undoTask(int task);
    void exportTo(const Selection& what, const QString& file, const ExportOptions& options);
    void importFrom(const QString& file);
    /// Whether anything can be written at the moment.
    bool mayWrite() const;
    const UndoStack& steps() const noexcept { return steps_; }
    TaskBoard& board() noexcept { return board_; }

signals:
    /// Show this job: the user asked for it by its id, or has just made it.
    void jobRequested(const QString& id);
    /// Show this recurring reminder: it has just been made, or changed.
    void seriesRequested(const QString& id);
    /// A sentence for the status bar: "“order” is paused".
    void statusTextChanged(const QString& text);
    /// Undo and redo are about something else now.
    void stepsChanged();
    /// The store has not taken these limits: why, for people.
    void limitsRefused(const std::string& topic, const QString& why);

private:
    void connectActions();
    Confirmation confirmationOf(const BulkRequest& request) const;
    void confirm(BulkRequest request);
    void run(const BulkRequest& request, std::uint64_t count);
    void remember(const TaskBoard::Outcome& outcome);
    enum class StepDirection { Back, Again };
    struct StepRun;
    bool canStep();
    void go(UndoStep step, StepDirection direction);
    void settleStep(StepRun& run);
    void rememberTopic(TopicStep topic);
    void goTopic(std::shared_ptr<StepRun> run);
    void actOnTopic(const std::shared_ptr<StepRun>& run, bool resumes);
    void actOnLimits(const std::shared_ptr<StepRun>& run, const TopicLimits& limits);
    void tellChangedByOthers(const std::string& topic);
    void failedTopic(StepRun& run, const Error& error);
    void resume(const std::string& topic, const std::string& pausedFor);
    void reportDue(int task, const std::string& id);
    void reschedule(const Selection& selection);
    void pauseOrResume();
    void newJob();
    void fillIn(const JobForm& form);
    void duplicate();
    void testMessage();
    void showReminder(const std::function<void(ReminderDialog&)>& prepare);
    void goToJob();
    void exportJobs();
    void importJobs();
    void showDialog(QDialog* dialog);
    const SelectionOwner* owner() const;
    Page* page() const { return page_ ? page_() : nullptr; }

    Context context_;
    TaskBoard& board_;
    QWidget* window_;
    StoreSession* session_ = nullptr;
    UndoStack steps_;
    QMetaObject::Connection link_;
    std::uint64_t connectionGeneration_ = 0;  ///< of the connection: its steps are no other's
    std::function<Page*()> page_;
    std::vector<QPointer<QDialog>> dialogs_;
    std::vector<QPointer<QObject>> transfers_;  ///< exports and imports that are under way
    QTimeZone zone_;                            ///< that somebody chose last for a due time
};

}  // namespace restante::gui
