#pragma once

#include <QAbstractTableModel>

namespace restante::gui {

class TaskBoard;

/// The tasks of the board as rows, the newest first. *Thread of the window.*
class TasksModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Title, Progress, Outcome, Rate, Left, Scope, Started, By, ColumnCount };
    /// The task's id.
    static constexpr int kIdRole = Qt::UserRole;
    /// 0 - 100, -1 = not known; of Progress only while it runs.
    static constexpr int kPercentRole = Qt::UserRole + 1;

    TasksModel(TaskBoard& board, QObject* parent);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    int rowOf(int task) const;

private:
    TaskBoard& board_;
};

}  // namespace restante::gui
