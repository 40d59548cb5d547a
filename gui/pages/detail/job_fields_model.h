#pragma once

#include "core/job/job.h"
#include "gui/theme/row_model.h"

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
class JobFieldsModel : public RowModel<JobField> {
    Q_OBJECT

public:
    using RowModel::RowModel;

protected:
    const std::vector<TableColumn>& columns() const override;
    QString text(const JobField& field, int column) const override;
    QVariant attribute(const JobField& field, int column, int role) const override;
};

}  // namespace restante::gui
