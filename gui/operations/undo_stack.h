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
    JobWriter::TopicVerb done = JobWriter::TopicVerb::Pause;
    std::string reason = {};                 ///< of the pause that began or ended
    std::optional<LimitChange> limits = {};  ///< this instead of a pause
};

/// A step that can be taken back and done again. *Value.*
struct UndoStep {
    QString title;                         ///< "Move 12 jobs to the trash"
    std::vector<SharedBulkRequest> back;   ///< what takes it back
    std::vector<SharedBulkRequest> again;  ///< what does it again
    std::uint64_t left = 0;                ///< jobs of it that cannot be taken back
    int task = 0;                          ///< of the task board
    std::optional<TopicStep> topic = {};   ///< instead of bulk requests
    std::uint64_t number = 0;              ///< rises with every step, whenever it is put back
};

/// The steps of this connection, the last of them first. What takes a step back is a write like
/// any other, and may fail: the step is taken from the stack while that is under way, and put where
/// it belongs by what became of it. *Thread of the window.*
class UndoStack : public QObject {
    Q_OBJECT

public:
    /// Older steps are forgotten: each may hold many ids.
    static constexpr std::size_t kSteps = 50;
    /// Of all steps together, beside the newest.
    static constexpr std::uint64_t kJobs = 500'000;

    using QObject::QObject;

    /// A step was done; what had been undone before cannot be redone any more.
    void push(UndoStep step);
    const UndoStep* undoable() const { return done_.empty() ? nullptr : &done_.back(); }
    const UndoStep* redoable() const { return undone_.empty() ? nullptr : &undone_.back(); }
    bool has(int task) const;
    /// The last step (or that of the task), which is on neither side from now on.
    UndoStep takeUndo();
    UndoStep takeUndo(int task);
    UndoStep takeRedo();
    /// A step that was taken is there to be undone, or to be redone; in its old place.
    void putDone(UndoStep step);
    void putUndone(UndoStep step);
    void clear();

signals:
    void changed();

private:
    using Steps = std::deque<UndoStep>;
    UndoStep take(Steps& steps, Steps::iterator at);

    Steps done_;    ///< by number
    Steps undone_;  ///< by number, the other way round
    std::uint64_t numbers_ = 0;
};

}  // namespace restante::gui
