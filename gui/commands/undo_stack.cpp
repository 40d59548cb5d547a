#include "gui/commands/undo_stack.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace restante::gui {

void UndoStack::push(UndoStep step)
{
    done_.push_back(std::move(step));
    undone_.clear();
    if (done_.size() > kSteps) {
        done_.pop_front();
    }
    emit changed();
}

bool UndoStack::has(int task) const
{
    return std::any_of(done_.begin(), done_.end(),
                       [task](const UndoStep& step) { return step.task == task; });
}

UndoStep UndoStack::undo()
{
    assert(!done_.empty());
    auto step = std::move(done_.back());
    done_.pop_back();
    undone_.push_back(step);
    emit changed();
    return step;
}

UndoStep UndoStack::undoTask(int task)
{
    const auto found = std::find_if(done_.begin(), done_.end(),
                                    [task](const UndoStep& step) { return step.task == task; });
    assert(found != done_.end());
    auto step = std::move(*found);
    done_.erase(found);
    undone_.push_back(step);
    emit changed();
    return step;
}

UndoStep UndoStack::redo()
{
    assert(!undone_.empty());
    auto step = std::move(undone_.back());
    undone_.pop_back();
    done_.push_back(step);
    emit changed();
    return step;
}

void UndoStack::clear()
{
    done_.clear();
    undone_.clear();
    emit changed();
}

}  // namespace restante::gui
