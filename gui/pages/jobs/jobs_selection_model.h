#pragma once

#include "gui/pages/jobs/jobs_model.h"

#include <QItemSelectionModel>

#include <map>
#include <string>
#include <vector>

namespace restante::gui {

/// Keeps Qt's selection of rows and the selected ids consistent: a selection of rows by the user
/// changes the ids, and after rows have moved the ids determine which rows are selected. *Thread of
/// the window.*
class JobsSelectionModel : public QItemSelectionModel {
    Q_OBJECT

public:
    /// Borrows model and selection.
    JobsSelectionModel(JobsModel& model, SelectedJobs& selected, QObject* parent = nullptr);

    using QItemSelectionModel::select;
    void select(const QItemSelection& selection, SelectionFlags command) override;

    /// Selects the jobs of the loaded rows.
    void selectLoaded();
    /// Selects all jobs of the view.
    void selectAllMatching();
    void selectNone();
    /// Selects the rows of the selected ids.
    void markSelectedRows();
    /// SelectedJobs::reconcile(), and the rows follow.
    void reconcile(const std::vector<std::string>& queriedIds,
                   const std::map<std::string, JobState>& matching);
    /// Deselects these jobs, whether their rows are loaded or not.
    void deselect(const std::vector<std::string>& ids);

signals:
    /// The selected jobs have changed.
    void jobsSelected();

private:
    void replaceSelection(const QItemSelection& marked, SelectionFlags command);
    QItemSelection extendFromAnchor(const QItemSelection& selection) const;
    void rememberAnchor(const QItemSelection& selection);
    void reconcileWithLoadedRows();
    void applySelectionChange(const QItemSelection& selected, const QItemSelection& deselected);
    void markRows(const QItemSelection& rows);

    JobsModel& jobs_;
    SelectedJobs& selected_;
    bool markingRows_ = false;
    /// Rows whose ids are not loaded are selected; where all jobs are, deselected.
    bool hasUnknownRows_ = false;
    /// Id of the job where a Shift range begins; empty = none.
    std::string anchorId_;
};

}  // namespace restante::gui
