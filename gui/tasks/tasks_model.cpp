#include "gui/tasks/tasks_model.h"

#include "gui/operations/task_board.h"
#include "gui/theme/icons.h"

#include <QLocale>

namespace restante::gui {

namespace {

QString textOf(const Task& task, int column)
{
    switch (column) {
    case TasksModel::Title: return task.title;
    case TasksModel::Progress: {
        if (!task.running()) {
            return task.troubled() || task.stopped ? TasksModel::tr("Ended")
                                                   : TasksModel::tr("Done");
        }
        const auto percent = percentOf(task);
        return percent < 0 ? TasksModel::tr("Running")
                           : TasksModel::tr("%1 %").arg(QLocale().toString(percent));
    }
    case TasksModel::Outcome: return outcomeText(task);
    case TasksModel::Rate: return rateText(task);
    case TasksModel::Left: return timeLeftText(task);
    case TasksModel::Scope: return task.scope;
    case TasksModel::Started:
        return task.started.toLocalTime().toString(QStringLiteral("HH:mm:ss"));
    case TasksModel::By: return task.by;
    default: return {};
    }
}

}  // namespace

TasksModel::TasksModel(TaskBoard& board, QObject* parent)
    : QAbstractTableModel(parent),
      board_(board)
{
    connect(&board_, &TaskBoard::aboutToReset, this, [this] { beginResetModel(); });
    connect(&board_, &TaskBoard::reset, this, [this] { endResetModel(); });
    connect(&board_, &TaskBoard::changed, this, [this](int id) {
        const auto row = rowOf(id);
        if (row >= 0) {
            emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
        }
    });
}

int TasksModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(board_.tasks().size());
}

int TasksModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

int TasksModel::rowOf(int task) const
{
    const auto& tasks = board_.tasks();
    for (std::size_t row = 0; row < tasks.size(); ++row) {
        if (tasks[row].id == task) {
            return static_cast<int>(row);
        }
    }
    return -1;
}

QVariant TasksModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const auto& task = board_.tasks()[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return textOf(task, index.column());
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2").arg(
            headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString(),
            textOf(task, index.column()));
    case Qt::DecorationRole:
        return index.column() == Title ? QVariant(icon(iconName(task))) : QVariant();
    case kIdRole: return task.id;
    case kPercentRole:
        return task.running() && index.column() == Progress ? QVariant(percentOf(task))
                                                            : QVariant();
    default: return {};
    }
}

QVariant TasksModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Title: return tr("Task");
    case Progress: return tr("Progress");
    case Outcome: return tr("Outcome");
    case Rate: return tr("Rate");
    case Left: return tr("Left");
    case Scope: return tr("Jobs");
    case Started: return tr("Started");
    case By: return tr("By");
    default: return {};
    }
}

}  // namespace restante::gui
