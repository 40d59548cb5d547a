#include "gui/tasks/tasks_model.h"

#include "gui/operations/task_board.h"

#include <QLocale>

#include <algorithm>

namespace restante::gui {

TasksModel::TasksModel(TaskBoard& board, QObject* parent) : RowModel<int>(parent), board_(board)
{
    const auto updateRows = [this] {
        std::vector<int> ids;
        for (const auto& task : board_.tasks()) {
            ids.push_back(task.id);
        }
        setRows(std::move(ids));
    };
    updateRows();
    connect(&board_, &TaskBoard::listChanged, this, updateRows);
    connect(&board_, &TaskBoard::changed, this, [this](int id) {
        const auto found = std::find(rows_.begin(), rows_.end(), id);
        if (found != rows_.end()) {
            const auto row = static_cast<int>(found - rows_.begin());
            emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
        }
    });
}

const std::vector<TableColumn>& TasksModel::columns() const
{
    static const std::vector<TableColumn> kColumns{
        {QT_TR_NOOP("Task")},    {QT_TR_NOOP("Progress")}, {QT_TR_NOOP("Outcome")},
        {QT_TR_NOOP("Rate")},    {QT_TR_NOOP("Left")},     {QT_TR_NOOP("Jobs")},
        {QT_TR_NOOP("Started")}, {QT_TR_NOOP("By")}};
    return kColumns;
}

QString TasksModel::text(const int& id, int column) const
{
    const auto* found = board_.task(id);
    if (found == nullptr) {
        return {};
    }
    const auto& task = *found;
    switch (column) {
    case Title: return titleOf(task);
    case Progress: {
        if (!task.running()) {
            return task.hasProblems() || task.stopped ? tr("Ended") : tr("Done");
        }
        const auto percent = percentOf(task);
        return percent < 0 ? tr("Running") : tr("%1 %").arg(QLocale().toString(percent));
    }
    case Outcome: return outcomeText(task);
    case Rate: return rateText(task);
    case TimeLeft: return timeLeftText(task);
    case Scope: return task.scope;
    case Started: return task.started.toLocalTime().toString(QStringLiteral("HH:mm:ss"));
    case Actor: return task.actor;
    default: return {};
    }
}

QVariant TasksModel::attribute(const int& id, int column, int role) const
{
    const auto* task = board_.task(id);
    if (task == nullptr) {
        return {};
    }
    switch (role) {
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2").arg(title(column), text(id, column));
    case Qt::DecorationRole: return column == Title ? QVariant(icon(iconName(*task))) : QVariant();
    case kIdRole: return id;
    case kPercentRole:
        return task->running() && column == Progress ? QVariant(percentOf(*task)) : QVariant();
    default: return {};
    }
}

}  // namespace restante::gui
