#pragma once

#include "gui/session/job_writer.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace restante::gui {

/// Limits of a topic that were changed. *Value.*
struct LimitChange {
    TopicLimits before;
    TopicLimits after;
};

struct TopicStep {
    std::string topic;
    JobWriter::TopicVerb verb = JobWriter::TopicVerb::Pause;
    std::string reason = {};                 ///< of the pause that began or ended
    std::optional<LimitChange> limits = {};  ///< this instead of a pause
};

/// A step that can be undone and redone. *Value.*
struct UndoStep {
    QString title;                                ///< "Move 12 jobs to the trash"
    std::vector<SharedBulkRequest> undoRequests;  ///< the requests that undo it
    std::vector<SharedBulkRequest> redoRequests;  ///< the requests that redo it
    /// What the last undo, or redo, has not done: it is next, instead of all of them.
    std::vector<SharedBulkRequest> remainder = {};
    std::uint64_t irreversibleJobs = 0;   ///< jobs of it that cannot be undone
    int task = 0;                         ///< its id on the task board
    std::optional<TopicStep> topic = {};  ///< instead of bulk requests
    std::uint64_t number = 0;  ///< rises with every push(); kept when the step is put back
    std::uint64_t lastNumberWhenTaken = 0;  ///< the number of the newest step of all at that time
};

/// The steps of this connection that can be undone or redone. An undo is a write and may fail: the
/// step is off the stack while the write runs, and is put back according to its result. *Thread of
/// the window.*
class UndoStack : public QObject {
    Q_OBJECT

public:
    /// Older steps are forgotten: each may hold many ids.
    static constexpr std::size_t kMaxSteps = 50;
    /// Limit of the ids in all steps that can be undone; the newest one is always kept.
    static constexpr std::uint64_t kMaxJobs = 500'000;

    using QObject::QObject;

    /// A step was done; what had been undone before cannot be redone any more.
    void push(UndoStep step);
    const UndoStep* undoable() const { return undoable_.empty() ? nullptr : &undoable_.back(); }
    const UndoStep* redoable() const { return redoable_.empty() ? nullptr : &redoable_.back(); }
    bool canUndo(int task) const;
    /// Removes and returns the last step, or that of the task.
    UndoStep takeUndo();
    UndoStep takeUndo(int task);
    UndoStep takeRedo();
    /// Puts a step that was taken back at its position, to be undone.
    void putUndo(UndoStep step);
    /// The same, to be redone; forgets it when another step was done since it was taken.
    void putRedo(UndoStep step);
    void clear();

signals:
    void changed();

private:
    using Steps = std::deque<UndoStep>;
    UndoStep take(Steps& steps, Steps::iterator at);

    Steps undoable_;  ///< by number, ascending
    Steps redoable_;  ///< by number, descending
    std::uint64_t lastNumber_ = 0;
};

}  // namespace restante::gui
