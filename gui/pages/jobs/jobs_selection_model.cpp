#include "gui/pages/jobs/jobs_selection_model.h"

#include <QScopedValueRollback>

#include <algorithm>

namespace restante::gui {

JobsSelectionModel::JobsSelectionModel(JobsModel& model, SelectedJobs& selected, QObject* parent)
    : QItemSelectionModel(&model, parent),
      jobs_(model),
      selected_(selected)
{
    connect(this, &QItemSelectionModel::selectionChanged, this,
            &JobsSelectionModel::applySelectionChange);
    connect(&model.feed(), &JobsFeed::swapped, this, &JobsSelectionModel::reconcileWithLoadedRows);
    connect(&model.feed(), &JobsFeed::rowsArrived, this, [this] {
        if (!selected_.empty()) {
            reconcileWithLoadedRows();
        }
    });
    connect(&model.feed(), &JobsFeed::reset, this, [this] {
        anchorId_.clear();  // another view may have that job, too, far from where one is
        selectNone();
    });
}

void JobsSelectionModel::select(const QItemSelection& selection, SelectionFlags command)
{
    if (markingRows_ || command == NoUpdate) {
        QItemSelectionModel::select(selection, command);
        return;
    }
    if (command.testFlag(Clear)) {
        replaceSelection(selection, command);
    } else if (command.testFlag(Current) && !command.testFlag(Toggle)) {
        // Shift: what is selected is the range and nothing else, be it all that matches or some
        // jobs far from the screen that were selected before.
        replaceSelection(extendFromAnchor(selection), command | Clear);
    } else {
        QItemSelectionModel::select(selection,
                                    command);  // applySelectionChange() is told the result
    }
    if (!command.testFlag(Current)) {
        rememberAnchor(selection);
    }
    if (hasUnknownRows_) {
        markSelectedRows();
    }
}

/// Qt keeps the row where a range began, which may show another job by now.
QItemSelection JobsSelectionModel::extendFromAnchor(const QItemSelection& selection) const
{
    const auto currentRow = currentIndex().row();
    const auto anchorRow = anchorId_.empty() ? -1 : jobs_.feed().rowOf(anchorId_);
    if (currentRow < 0 || anchorRow < 0) {
        return selection;
    }
    const auto from = static_cast<int>(anchorRow);
    return {jobs_.index(std::min(from, currentRow), 0),
            jobs_.index(std::max(from, currentRow), kJobColumns - 1)};
}

void JobsSelectionModel::rememberAnchor(const QItemSelection& selection)
{
    if (selection.isEmpty()) {
        return;
    }
    // Qt sets the current index only after select().
    const auto* row = jobs_.feed().row(selection.front().top());
    anchorId_ = row == nullptr ? std::string() : row->id;
}

/// Selects only these rows.
void JobsSelectionModel::replaceSelection(const QItemSelection& marked, SelectionFlags command)
{
    {
        const QScopedValueRollback quiet(markingRows_, true);
        QItemSelectionModel::select(marked, command);
    }
    selected_.clear();
    for (const auto& range : selection()) {
        applySelectionChange({range.topLeft(), range.bottomRight()}, {});
    }
    emit jobsSelected();
}

void JobsSelectionModel::reconcile(const std::vector<std::string>& queriedIds,
                                   const std::map<std::string, JobState>& matching)
{
    if (selected_.reconcile(queriedIds, matching)) {
        markSelectedRows();
        emit jobsSelected();
    }
}

void JobsSelectionModel::deselect(const std::vector<std::string>& ids)
{
    const auto before = selected_.count(jobs_.feed().total());
    for (const auto& id : ids) {
        selected_.deselect(id);
    }
    if (selected_.count(jobs_.feed().total()) != before) {
        markSelectedRows();
        emit jobsSelected();
    }
}

/// Updates the states of the selected jobs from the loaded rows.
void JobsSelectionModel::reconcileWithLoadedRows()
{
    std::vector<std::string> loadedIds;
    std::map<std::string, JobState> states;
    jobs_.feed().forEachLoaded([&](std::uint64_t, const JobRow& row) {
        if (selected_.isListed(row.id)) {
            loadedIds.push_back(row.id);
            states[row.id] = row.state;
        }
    });
    const bool changed = selected_.reconcile(loadedIds, states);
    markSelectedRows();
    if (changed) {
        emit jobsSelected();
    }
}

void JobsSelectionModel::applySelectionChange(const QItemSelection& selected,
                                              const QItemSelection& deselected)
{
    if (markingRows_ || jobs_.resizing()) {
        return;
    }
    // A selection may have far more rows than are loaded: iterate over the loaded ones.
    const auto& feed = jobs_.feed();
    feed.forEachLoaded([&](std::uint64_t at, const JobRow& row) {
        const auto contains = [at](const QItemSelection& ranges) {
            return std::any_of(ranges.begin(), ranges.end(), [at](const auto& range) {
                return static_cast<int>(at) >= range.top() &&
                       static_cast<int>(at) <= range.bottom();
            });
        };
        if (contains(deselected)) {
            selected_.deselect(row.id);
        }
        if (contains(selected)) {
            selected_.select(row.id, row.state);
        }
    });
    const auto hasUnknownRow = [&feed](const QItemSelectionRange& range) {
        return range.height() > static_cast<int>(PageCache::kPageRows) ||
               feed.row(range.top()) == nullptr || feed.row(range.bottom()) == nullptr;
    };
    if (selected_.all()) {
        // A job whose id is not loaded cannot be excluded.
        hasUnknownRows_ =
            hasUnknownRows_ || std::any_of(deselected.begin(), deselected.end(), hasUnknownRow);
    } else {
        hasUnknownRows_ =
            hasUnknownRows_ || std::any_of(selected.begin(), selected.end(), hasUnknownRow);
    }
    emit jobsSelected();
}

void JobsSelectionModel::selectLoaded()
{
    selected_.clear();
    jobs_.feed().forEachLoaded(
        [&](std::uint64_t, const JobRow& row) { selected_.select(row.id, row.state); });
    markSelectedRows();
    emit jobsSelected();
}

void JobsSelectionModel::selectAllMatching()
{
    selected_.selectAll();
    markSelectedRows();
    emit jobsSelected();
}

void JobsSelectionModel::selectNone()
{
    const bool hadSelection = !selected_.empty();
    selected_.clear();
    markRows({});
    if (hadSelection) {
        emit jobsSelected();
    }
}

void JobsSelectionModel::markSelectedRows()
{
    hasUnknownRows_ = false;
    QItemSelection rows;
    const auto add = [&](int first, int last) {
        if (first <= last) {
            rows.append({jobs_.index(first, 0), jobs_.index(last, kJobColumns - 1)});
        }
    };
    int first = 0;
    if (selected_.all()) {
        // Everything but the known rows that are left out.
        jobs_.feed().forEachLoaded([&](std::uint64_t at, const JobRow& row) {
            if (!selected_.has(row.id)) {
                add(first, static_cast<int>(at) - 1);
                first = static_cast<int>(at) + 1;
            }
        });
        add(first, jobs_.rowCount() - 1);
    } else if (!selected_.empty()) {
        int last = -1;
        jobs_.feed().forEachLoaded([&](std::uint64_t at, const JobRow& row) {
            const auto position = static_cast<int>(at);
            if (!selected_.has(row.id)) {
                return;
            }
            if (position != last + 1) {
                add(first, last);
                first = position;
            }
            last = position;
        });
        add(first, last);
    }
    markRows(rows);
}

void JobsSelectionModel::markRows(const QItemSelection& rows)
{
    const QScopedValueRollback quiet(markingRows_, true);
    QItemSelectionModel::select(rows, ClearAndSelect);
}

}  // namespace restante::gui
