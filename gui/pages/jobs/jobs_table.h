#pragma once

#include "gui/actions/context.h"
#include "gui/pages/jobs/jobs_model.h"
#include "gui/pages/jobs/jobs_selection_model.h"

#include <QTableView>
#include <QTimer>

#include <optional>
#include <set>
#include <vector>

namespace restante::gui {

/// The table of jobs. It keeps its scroll position, current job and selection while rows come and
/// go, and stores its columns. *Thread of the window.*
///
/// The current job is kept by id, not by row: it stays current when rows move, when its row is no
/// longer loaded and when it leaves the view, until the user goes to another one.
class JobsTable : public QTableView {
    Q_OBJECT

public:
    /// Its columns are kept in the preferences under `layoutKey`.
    JobsTable(Context context, JobsFeed& feed, const QString& layoutKey, QWidget* parent = nullptr);

    JobsModel& jobs() noexcept { return *jobs_; }
    JobsSelectionModel& jobsSelection() noexcept { return *selectionModel_; }
    SelectedJobs& selectedJobs() noexcept { return selected_; }
    const SelectedJobs& selectedJobs() const noexcept { return selected_; }

    /// The job in the current row; null when there is none or it has not been loaded. After rows
    /// have moved this may be another one than the current job.
    const JobRow* jobInCurrentRow() const { return feed_.row(currentIndex().row()); }
    /// Makes the job in the current row the current job.
    void updateCurrentJob();
    /// The id of the first row on the screen; empty without rows.
    std::string firstVisibleId() const;
    RowRange visibleRows() const;
    /// Scrolls to that row, selects it and makes its job the current one.
    void goTo(std::int64_t row);
    /// Sets the sort arrow of the header; none when the view's jobs are not in order of time.
    void showSortOrder(const JobsView& view);
    void setColumnShown(JobColumn column, bool shown);
    /// Whether the user has chosen it, also while it is hidden because it is empty.
    bool isColumnChosen(JobColumn column) const { return chosenColumns_.count(column) != 0; }
    /// Visual index 0 belongs to the check boxes.
    void moveColumn(JobColumn column, int visualIndex);
    void reloadColumns();
    /// Discards the user's columns and shows the default ones.
    void resetToDefaults(Preferences& preferences);
    /// The shown ones from left to right, without the check boxes.
    std::vector<JobColumn> shownColumns() const;
    /// A column of a job's row; `row` is null when there is none.
    struct Cell {
        const JobRow* row = nullptr;
        JobColumn column = JobColumn::CheckBox;
    };
    Cell cellAt(const QPoint& position) const;
    Cell currentCell() const;
    /// A cell is being dragged or the mouse is selecting: rows must not move.
    bool isUserBusy() const;
    /// The data of a dragged cell: its text, and a term for the filter box. Null for a cell without
    /// a term. The caller owns it.
    QMimeData* dragData(const Cell& cell) const;
    void retranslate();

signals:
    /// A second has passed: relative times need an update.
    void ticked();
    /// The current job has changed, or has been loaded; empty = none.
    void currentJobChanged(const std::string& id);
    void sortOrderRequested(bool descending);
    void findRequested();
    void cellMenuRequested(const QPoint& globalPosition);
    void columnsMenuRequested(const QPoint& globalPosition);
    /// A refresh has added that many rows above the screen; negative when it has removed some.
    void rowsAddedAbove(std::int64_t rows);

protected:
    QItemSelectionModel::SelectionFlags selectionCommand(const QModelIndex& index,
                                                         const QEvent* event) const override;
    /// Home and End lead to the first and the last job: rows are selected here, not cells.
    QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;
    void keyPressEvent(QKeyEvent* event) override;
    void startDrag(Qt::DropActions actions) override;
    void mousePressEvent(QMouseEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void resizeEvent(QResizeEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void setUpHeader();
    void restoreColumns();
    void saveColumns();
    void updateHiddenColumns();
    void moveCurrentToShownColumn();
    void showChosenColumns();
    void fitTextColumn();
    int firstShownColumn() const;
    int lastShownColumn() const;
    void updateVisibleRows() { feed_.setVisibleRows(visibleRows()); }
    void restoreScrollPosition();
    void followCurrentJob(RowRange rows);
    void setCurrentJob(const JobRow* row);

    Preferences& preferences_;
    QString layoutKey_;
    SelectedJobs selected_;
    JobsFeed& feed_;
    JobsModel* jobs_;
    JobsSelectionModel* selectionModel_;
    QTimer clockTimer_;  ///< "3 s ago" becomes "4 s ago"
    QTimer saveTimer_;   ///< the header signals each pixel of a resize
    bool ignoringHeaderSignals_ = false;
    bool dragging_ = false;
    std::optional<QPoint> pressedAt_;
    bool swapping_ = false;
    bool movingCell_ = false;            ///< within its row, because its column is hidden
    int scrollBeforeSwap_ = 0;           ///< removing rows moves the scroll bar
    std::set<JobColumn> chosenColumns_;  ///< by the user, or by default
    std::set<JobColumn> filledColumns_;  ///< something was seen in them since the view began
    bool customised_ = false;            ///< the user has moved or sized columns
    std::string currentJobId_;
    bool awaitsCurrentRow_ = false;  ///< the current row was chosen before it was loaded
};

}  // namespace restante::gui
