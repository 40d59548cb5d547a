#pragma once

#include "gui/session/job_writer.h"

#include <QObject>
#include <QString>

#include <deque>
#include <vector>

namespace restante::gui {

/// A step that can be taken back and done again. *Value.*
struct UndoStep {
    QString deed;              ///< "Trash of 12 jobs"
    std::vector<Order> back;   ///< what takes it back
    std::vector<Order> again;  ///< what does it again
    std::uint64_t left = 0;    ///< jobs of it that cannot be taken back
    int task = 0;              ///< of the task board
};

/// The steps of this connection, the last of them first. What takes a step back is a write like
/// any other: the stack only remembers it. *Thread of the window.*
class UndoStack : public QObject {
    Q_OBJECT

public:
    /// Older steps are forgotten: each may hold many ids.
    static constexpr std::size_t kSteps = 50;

    using QObject::QObject;

    /// A step was done; what had been undone before cannot be redone any more.
    void push(UndoStep step);
    const UndoStep* undoable() const { return done_.empty() ? nullptr : &done_.back(); }
    const UndoStep* redoable() const { return undone_.empty() ? nullptr : &undone_.back(); }
    /// Whether that task's step is still there to be taken back.
    bool has(int task) const;
    /// Moves the last step (or that of the task) to those that can be redone, and answers it.
    UndoStep undo();
    UndoStep undoTask(int task);
    /// Moves the last undone step back, and answers it.
    UndoStep redo();
    void clear();

signals:
    void changed();

private:
    std::deque<UndoStep> done_;
    std::deque<UndoStep> undone_;
};

}  // namespace restante::gui
