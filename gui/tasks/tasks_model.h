#pragma once

#include "gui/theme/row_model.h"

namespace restante::gui {

class TaskBoard;

/// The tasks of the board as rows, the newest first; a row keeps the task's id. *Thread of the
/// window.*
class TasksModel : public RowModel<int> {
    Q_OBJECT

public:
    enum Column { Title, Progress, Outcome, Rate, TimeLeft, Scope, Started, Actor, ColumnCount };
    /// The task's id.
    static constexpr int kIdRole = Qt::UserRole;
    /// 0 - 100, -1 = not known; of Progress only while it runs.
    static constexpr int kPercentRole = Qt::UserRole + 1;

    TasksModel(TaskBoard& board, QObject* parent);

protected:
    const std::vector<TableColumn>& columns() const override;
    QString text(const int& id, int column) const override;
    QVariant attribute(const int& id, int column, int role) const override;

private:
    TaskBoard& board_;
};

}  // namespace restante::gui
