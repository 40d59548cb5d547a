#pragma once

#include "core/job/job.h"

#include <QAbstractTableModel>
#include <QIcon>
#include <QString>

#include <functional>
#include <vector>

namespace restante::gui {

/// One line about a job. *Value.*
struct JobField {
    QString name;
    QString value;
    QString term = {};  ///< of a filter that finds jobs like it; empty = there is none
    QString icon = {};
    QColor ink = {};
};

/// Everything about a job but its body, in the order in which people ask for it. `moment` writes a
/// time. *Pure function.*
std::vector<JobField> fieldsOf(const JobView& view,
                               const std::function<QString(TimePoint)>& moment);

/// Lines as a table of names and values. *Thread of the window.*
class JobFieldsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void setContent(std::vector<JobField> fields);
    const std::vector<JobField>& fields() const noexcept { return fields_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<JobField> fields_;
};

}  // namespace restante::gui
