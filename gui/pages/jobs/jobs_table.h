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

/// The table of jobs. It keeps its place, its current job and the selection while rows come and
/// go, and remembers its columns. *Thread of the window.*
///
/// The current job is a job and not a row: it stays current when rows move, when it is scrolled out
/// of what is loaded, and when it leaves the view, until the user goes to another one.
class JobsTable : public QTableView {
    Q_OBJECT

public:
    /// `layout` names its columns in the preferences.
    JobsTable(Context context, JobsFeed& feed, const QString& layout, QWidget* parent = nullptr);

    JobsModel& jobs() noexcept { return *jobs_; }
    JobsSelectionModel& marks() noexcept { return *marks_; }
    SelectedJobs& selectedJobs() noexcept { return selected_; }
    const SelectedJobs& selectedJobs() const noexcept { return selected_; }

    /// The job in the row that the keyboard is on; null when there is none, or it has not been
    /// loaded. The current job may have left that row.
    const JobRow* currentJob() const { return feed_.row(currentIndex().row()); }
    /// Makes the job in that row the current one.
    void takeCurrent();
    /// The id of the first row on the screen; empty without rows.
    std::string topId() const;
    RowRange visibleRows() const;
    /// Goes to that row and makes it the current one.
    void goTo(std::int64_t row);
    /// The arrow of the header says what order the view's jobs come in; it has none where they come
    /// in no order of time.
    void showOrder(const JobsView& view);
    void setColumnShown(JobColumn column, bool shown);
    /// Whether the user wants it, also while it hides because there is nothing in it.
    bool isColumnShown(JobColumn column) const { return wanted_.count(column) != 0; }
    /// The first place where a column can be.
    void moveColumn(JobColumn column, int place);
    void resetColumns();
    /// The columns as they come with the program; what the user had is forgotten.
    void resetToFactory(Preferences& preferences);
    /// The shown ones from left to right, without the check boxes.
    std::vector<JobColumn> shownColumns() const;
    /// The job whose cell is under the pointer or the keyboard, and which cell that is.
    struct Cell {
        const JobRow* row = nullptr;
        JobColumn column = JobColumn::CheckBox;
    };
    Cell cellAt(const QPoint& place) const;
    Cell currentCell() const;
    /// A cell is being dragged or the mouse is selecting: nothing may move.
    bool isUserBusy() const;
    /// What a cell is to others when it is dragged there: text, and a term for the filter box.
    /// Null for a cell that says nothing. The caller owns it.
    QMimeData* carried(const Cell& cell) const;
    void retranslate();

signals:
    /// A second has passed: times are written anew.
    void ticked();
    /// Another job is the current one, or it has become known; empty = none.
    void currentJobChanged(const std::string& id);
    void sortOrderRequested(bool descending);
    void findRequested();
    void cellMenuRequested(const QPoint& globalPlace);
    void columnsMenuRequested(const QPoint& globalPlace);
    /// After a fresh look so many more rows stand above the first one on the screen.
    void pushedDown(std::int64_t rows);

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
    void hideEmptyColumns();
    void keepCurrentShown();
    void showChosenColumns();
    void fitText();
    int firstShown() const;
    int lastShown() const;
    void tellVisible() { feed_.setVisible(visibleRows()); }
    void keepPlace();
    void findCurrent(RowRange rows);
    void tellCurrent(const JobRow* row);

    Preferences& preferences_;
    QString layout_;
    SelectedJobs selected_;
    JobsFeed& feed_;
    JobsModel* jobs_;
    JobsSelectionModel* marks_;
    QTimer clock_;     ///< "3 s ago" becomes "4 s ago"
    QTimer saveSoon_;  ///< the header tells of every pixel
    bool restoring_ = false;
    bool dragging_ = false;
    std::optional<QPoint> pressedAt_;
    bool swapping_ = false;
    bool movingCell_ = false;     ///< along its row, as columns hide
    int scrolled_ = 0;            ///< before the swap: fewer rows move the scroll bar by themselves
    std::set<JobColumn> wanted_;  ///< by the user, or as they come
    std::set<JobColumn> filled_;  ///< something was seen in them since the view began
    bool customised_ = false;     ///< the user has moved or sized columns
    std::string toldCurrent_;
    bool awaited_ = false;  ///< the current row was chosen before it was loaded
};

}  // namespace restante::gui
