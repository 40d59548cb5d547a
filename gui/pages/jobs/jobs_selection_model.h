#pragma once

#include "gui/pages/jobs/jobs_model.h"

#include <QItemSelectionModel>

#include <map>
#include <string>
#include <vector>

namespace restante::gui {

/// Keeps Qt's selection of rows and the picked ids in step: what the user does with rows is done to
/// ids, and after rows have moved the ids say which rows are selected. *Thread of the window.*
class JobsSelectionModel : public QItemSelectionModel {
    Q_OBJECT

public:
    /// Borrows model and picks.
    JobsSelectionModel(JobsModel& model, PickedJobs& picks, QObject* parent = nullptr);

    using QItemSelectionModel::select;
    void select(const QItemSelection& selection, SelectionFlags command) override;

    /// The rows that are loaded.
    void pickLoaded();
    /// All that the view matches.
    void pickAllMatching();
    void pickNone();
    /// Marks the rows of the picked ids again.
    void follow();
    /// PickedJobs::settle(), and the rows follow.
    void settle(const std::vector<std::string>& asked,
                const std::map<std::string, JobState>& matching);
    /// These are picked no more, wherever they are.
    void unpick(const std::vector<std::string>& ids);

signals:
    /// Other jobs are picked now.
    void picked();

private:
    void begin(const QItemSelection& marked, SelectionFlags command);
    QItemSelection fromAnchor(const QItemSelection& selection) const;
    void noteAnchor(const QItemSelection& selection);
    void renew();
    void readChange(const QItemSelection& selected, const QItemSelection& deselected);
    void markRows(const QItemSelection& rows);

    JobsModel& jobs_;
    PickedJobs& picks_;
    bool following_ = false;
    bool gaps_ = false;  ///< rows are marked that nobody knows the ids of
    /// The job that a range begins at, which Shift then stretches; empty = none is known.
    std::string anchor_;
};

}  // namespace restante::gui
