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
    done_.push_back(std::move(step));
    undone_.clear();
    std::uint64_t jobs = 0;
    for (const auto& one : done_) {
        jobs += jobCount(one);
    }
    while (done_.size() > kMaxSteps || (jobs > kMaxJobs && done_.size() > 1)) {
        jobs -= jobCount(done_.front());
        done_.pop_front();
    }
    emit changed();
}

bool UndoStack::has(int task) const
{
    return std::any_of(done_.begin(), done_.end(),
                       [task](const UndoStep& step) { return step.task == task; });
}

UndoStep UndoStack::take(Steps& steps, Steps::iterator at)
{
    assert(at != steps.end());
    auto step = std::move(*at);
    steps.erase(at);
    emit changed();
    return step;
}

UndoStep UndoStack::takeUndo()
{
    assert(!done_.empty());
    return take(done_, std::prev(done_.end()));
}

UndoStep UndoStack::takeUndo(int task)
{
    return take(done_, std::find_if(done_.begin(), done_.end(),
                                    [task](const UndoStep& step) { return step.task == task; }));
}

UndoStep UndoStack::takeRedo()
{
    assert(!undone_.empty());
    return take(undone_, std::prev(undone_.end()));
}

void UndoStack::putDone(UndoStep step)
{
    const auto position = std::find_if(done_.begin(), done_.end(), [&](const UndoStep& other) {
        return other.number > step.number;
    });
    done_.insert(position, std::move(step));
    emit changed();
}

void UndoStack::putUndone(UndoStep step)
{
    const auto position = std::find_if(undone_.begin(), undone_.end(), [&](const UndoStep& other) {
        return other.number < step.number;
    });
    undone_.insert(position, std::move(step));
    emit changed();
}

void UndoStack::clear()
{
    done_.clear();
    undone_.clear();
    emit changed();
}

}  // namespace restante::gui
