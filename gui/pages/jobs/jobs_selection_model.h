#pragma once

#include "gui/pages/jobs/jobs_model.h"

#include <QItemSelectionModel>

#include <map>
#include <string>
#include <vector>

namespace restante::gui {

/// Keeps Qt's selection of rows and the selected ids in step: what the user does with rows is done
/// to ids, and after rows have moved the ids say which rows are selected. *Thread of the window.*
class JobsSelectionModel : public QItemSelectionModel {
    Q_OBJECT

public:
    /// Borrows model and selection.
    JobsSelectionModel(JobsModel& model, SelectedJobs& selected, QObject* parent = nullptr);

    using QItemSelectionModel::select;
    void select(const QItemSelection& selection, SelectionFlags command) override;

    /// The rows that are loaded.
    void selectLoaded();
    /// All that the view matches.
    void selectAllMatching();
    void selectNone();
    /// Marks the rows of the selected ids again.
    void markSelectedRows();
    /// SelectedJobs::reconcile(), and the rows follow.
    void reconcile(const std::vector<std::string>& asked,
                   const std::map<std::string, JobState>& matching);
    /// These are selected no more, wherever they are.
    void deselect(const std::vector<std::string>& ids);

signals:
    /// Other jobs are selected now.
    void jobsSelected();

private:
    void replaceSelection(const QItemSelection& marked, SelectionFlags command);
    QItemSelection extendFromAnchor(const QItemSelection& selection) const;
    void rememberAnchor(const QItemSelection& selection);
    void updateFromRows();
    void applySelectionChange(const QItemSelection& selected, const QItemSelection& deselected);
    void markRows(const QItemSelection& rows);

    JobsModel& jobs_;
    SelectedJobs& selected_;
    bool markingRows_ = false;
    bool hasUnknownRows_ = false;  ///< rows are marked that nobody knows the ids of
    /// The job that a range begins at, which Shift then stretches; empty = none is known.
    std::string anchorId_;
};

}  // namespace restante::gui
