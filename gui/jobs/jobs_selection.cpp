#include "gui/jobs/jobs_selection.h"

#include <QScopedValueRollback>

#include <algorithm>

namespace restante::gui {

JobsSelection::JobsSelection(JobsModel& model, PickedJobs& picks, QObject* parent)
    : QItemSelectionModel(&model, parent),
      jobs_(model),
      picks_(picks)
{
    connect(this, &QItemSelectionModel::selectionChanged, this, &JobsSelection::readChange);
    connect(&model.feed(), &JobsFeed::swapped, this, &JobsSelection::follow);
    connect(&model.feed(), &JobsFeed::rowsArrived, this, [this] {
        if (!picks_.empty()) {
            follow();
        }
    });
    connect(&model.feed(), &JobsFeed::reset, this, &JobsSelection::pickNone);
}

void JobsSelection::select(const QItemSelection& selection, SelectionFlags command)
{
    if (following_ || command == NoUpdate) {
        QItemSelectionModel::select(selection, command);
        return;
    }
    if (!command.testFlag(Clear)) {
        QItemSelectionModel::select(selection, command);  // readChange() hears what it came to
    } else {
        {
            const QScopedValueRollback quiet(following_, true);
            QItemSelectionModel::select(selection, command);
        }
        readAll();
    }
    if (gaps_) {
        follow();
    }
}

/// The user began anew: only what is marked is picked.
void JobsSelection::readAll()
{
    picks_.clear();
    for (const auto& range : selection()) {
        readChange({range.topLeft(), range.bottomRight()}, {});
    }
    emit picked();
}

void JobsSelection::readChange(const QItemSelection& selected, const QItemSelection& deselected)
{
    if (following_ || jobs_.resizing()) {
        return;
    }
    // Far more rows may be marked than are known: the known ones are walked.
    const auto& feed = jobs_.feed();
    feed.eachLoaded([&](std::uint64_t at, const JobRow& row) {
        const auto holds = [at](const QItemSelection& ranges) {
            return std::any_of(ranges.begin(), ranges.end(), [at](const auto& range) {
                return static_cast<int>(at) >= range.top() &&
                       static_cast<int>(at) <= range.bottom();
            });
        };
        if (holds(deselected)) {
            picks_.unpick(row.id);
        }
        if (holds(selected)) {
            picks_.pick(row.id, row.state);
        }
    });
    for (const auto& range : selected) {
        gaps_ = gaps_ ||
                (!picks_.all() && range.height() > static_cast<int>(PageCache::kPageRows)) ||
                feed.row(static_cast<std::uint64_t>(range.top())) == nullptr ||
                feed.row(static_cast<std::uint64_t>(range.bottom())) == nullptr;
    }
    emit picked();
}

void JobsSelection::pickLoaded()
{
    picks_.clear();
    jobs_.feed().eachLoaded(
        [&](std::uint64_t, const JobRow& row) { picks_.pick(row.id, row.state); });
    follow();
    emit picked();
}

void JobsSelection::pickAllMatching()
{
    picks_.pickAll();
    follow();
    emit picked();
}

void JobsSelection::pickNone()
{
    const bool were = !picks_.empty();
    picks_.clear();
    show({});
    if (were) {
        emit picked();
    }
}

void JobsSelection::follow()
{
    gaps_ = false;
    const auto& model = jobs_;
    const auto lastColumn = kJobColumns - 1;
    QItemSelection rows;
    int begin = -1;
    int end = -1;
    const auto flush = [&] {
        if (begin >= 0) {
            rows.append(QItemSelectionRange(model.index(begin, 0), model.index(end, lastColumn)));
        }
        begin = -1;
    };
    if (picks_.all()) {
        // Everything but the known rows that are left out.
        begin = 0;
        jobs_.feed().eachLoaded([&](std::uint64_t at, const JobRow& row) {
            if (!picks_.has(row.id)) {
                end = static_cast<int>(at) - 1;
                if (end < begin) {
                    begin = -1;
                }
                flush();
                begin = static_cast<int>(at) + 1;
            }
        });
        end = model.rowCount() - 1;
        begin = end < begin ? -1 : begin;
        flush();
        show(rows);
        return;
    }
    if (!picks_.empty()) {
        jobs_.feed().eachLoaded([&](std::uint64_t at, const JobRow& row) {
            if (!picks_.has(row.id)) {
                return;
            }
            const auto here = static_cast<int>(at);
            if (begin < 0 || here != end + 1) {
                flush();
                begin = here;
            }
            end = here;
        });
        flush();
    }
    show(rows);
}

void JobsSelection::show(const QItemSelection& rows)
{
    const QScopedValueRollback quiet(following_, true);
    QItemSelectionModel::select(rows, ClearAndSelect);
}

}  // namespace restante::gui
