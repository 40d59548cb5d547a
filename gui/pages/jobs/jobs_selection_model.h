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
    void follow();
    /// SelectedJobs::settle(), and the rows follow.
    void settle(const std::vector<std::string>& asked,
                const std::map<std::string, JobState>& matching);
    /// These are selected no more, wherever they are.
    void deselect(const std::vector<std::string>& ids);

signals:
    /// Other jobs are selected now.
    void jobsSelected();

private:
    void begin(const QItemSelection& marked, SelectionFlags command);
    QItemSelection fromAnchor(const QItemSelection& selection) const;
    void noteAnchor(const QItemSelection& selection);
    void renew();
    void applySelectionChange(const QItemSelection& selected, const QItemSelection& deselected);
    void markRows(const QItemSelection& rows);

    JobsModel& jobs_;
    SelectedJobs& selected_;
    bool following_ = false;
    bool gaps_ = false;  ///< rows are marked that nobody knows the ids of
    /// The job that a range begins at, which Shift then stretches; empty = none is known.
    std::string anchor_;
};

}  // namespace restante::gui
