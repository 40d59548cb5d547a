#pragma once

#include "gui/session/job_row.h"

#include <QAbstractTableModel>
#include <QString>

#include <functional>
#include <vector>

namespace restante::gui {

/// A few jobs as a table. *Thread of the window.*
class RelatedJobsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { State, Due, Id, Topic, From, To, Tries, LastError, Count };

    using QAbstractTableModel::QAbstractTableModel;

    void setContent(std::vector<JobRow> rows, std::function<QString(TimePoint)> moment);
    const std::vector<JobRow>& rows() const noexcept { return rows_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<JobRow> rows_;
    std::function<QString(TimePoint)> moment_;
};

}  // namespace restante::gui
