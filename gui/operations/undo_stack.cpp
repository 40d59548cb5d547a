#include "gui/operations/undo_stack.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace restante::gui {

namespace {

std::uint64_t jobCount(const UndoStep& step)
{
    std::uint64_t jobs = 0;
    for (const auto& request : step.undoRequests) {
        jobs += request->selection.ids.size();
    }
    return jobs;
}

}  // namespace

void UndoStack::push(UndoStep step)
{
    step.number = ++lastNumber_;
    undoable_.push_back(std::move(step));
    redoable_.clear();
    std::uint64_t jobs = 0;
    for (const auto& one : undoable_) {
        jobs += jobCount(one);
    }
    while (undoable_.size() > kMaxSteps || (jobs > kMaxJobs && undoable_.size() > 1)) {
        jobs -= jobCount(undoable_.front());
        undoable_.pop_front();
    }
    emit changed();
}

bool UndoStack::canUndo(int task) const
{
    return std::any_of(undoable_.begin(), undoable_.end(),
                       [task](const UndoStep& step) { return step.task == task; });
}

UndoStep UndoStack::take(Steps& steps, Steps::iterator at)
{
    assert(at != steps.end());
    auto step = std::move(*at);
    step.lastNumberWhenTaken = lastNumber_;
    steps.erase(at);
    emit changed();
    return step;
}

UndoStep UndoStack::takeUndo()
{
    assert(!undoable_.empty());
    return take(undoable_, std::prev(undoable_.end()));
}

UndoStep UndoStack::takeUndo(int task)
{
    return take(undoable_,
                std::find_if(undoable_.begin(), undoable_.end(),
                             [task](const UndoStep& step) { return step.task == task; }));
}

UndoStep UndoStack::takeRedo()
{
    assert(!redoable_.empty());
    return take(redoable_, std::prev(redoable_.end()));
}

void UndoStack::putUndo(UndoStep step)
{
    const auto position =
        std::find_if(undoable_.begin(), undoable_.end(),
                     [&](const UndoStep& other) { return other.number > step.number; });
    undoable_.insert(position, std::move(step));
    emit changed();
}

void UndoStack::putRedo(UndoStep step)
{
    if (step.lastNumberWhenTaken != lastNumber_) {
        return;
    }
    const auto position =
        std::find_if(redoable_.begin(), redoable_.end(),
                     [&](const UndoStep& other) { return other.number < step.number; });
    redoable_.insert(position, std::move(step));
    emit changed();
}

void UndoStack::clear()
{
    undoable_.clear();
    redoable_.clear();
    emit changed();
}

}  // namespace restante::gui
