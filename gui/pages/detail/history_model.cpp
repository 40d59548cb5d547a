#include "gui/pages/detail/history_model.h"

#include "core/base/timestamp.h"
#include "core/job/job_state.h"
#include "gui/base/csv_text.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/theme/icons.h"
#include "gui/theme/theme.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <array>

namespace restante::gui {

namespace {

QString stateText(const std::string& word)
{
    const auto state = jobStateNamed(word);
    return state ? Theme::stateName(*state) : textOf(word);
}

std::optional<JobState> stateAt(const HistoryRow& row, int column)
{
    switch (column) {
    case HistoryModel::From: return jobStateNamed(row.from);
    case HistoryModel::To: return jobStateNamed(row.to);
    default: return std::nullopt;
    }
}

}  // namespace

void HistoryModel::setContent(std::vector<HistoryRow> rows,
                              std::function<QString(TimePoint)> moment)
{
    beginResetModel();
    rows_ = std::move(rows);
    moment_ = std::move(moment);
    endResetModel();
}

int HistoryModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int HistoryModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : Count;
}

QString HistoryModel::text(const HistoryRow& row, int column) const
{
    switch (column) {
    case At: return moment_(row.at);
    case What: return transitionName(row.transition);
    case From: return stateText(row.from);
    case To: return row.to.empty() ? tr("(gone)") : stateText(row.to);
    case By: return textOf(row.actor);
    case Reason: return textOf(row.reason);
    case Worker: return textOf(row.worker);
    case Told: return textOf(row.note).trimmed().replace(u'\n', QStringLiteral(" · "));
    default: return {};
    }
}

QVariant HistoryModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    const auto& row = rows_[static_cast<std::size_t>(index.row())];
    const auto state = stateAt(row, index.column());
    switch (role) {
    case Qt::DisplayRole: return text(row, index.column());
    case Qt::DecorationRole: return state ? QVariant(icon(Theme::style(*state).icon)) : QVariant();
    case Qt::ForegroundRole: return state ? QVariant(Theme::style(*state).ink) : QVariant();
    case Qt::ToolTipRole: return index.column() == Told ? QVariant(textOf(row.note)) : QVariant();
    default: return {};
    }
}

QVariant HistoryModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case At: return tr("Time");
    case What: return tr("What happened");
    case From: return tr("From");
    case To: return tr("To");
    case By: return tr("By");
    case Reason: return tr("Reason");
    case Worker: return tr("Worker");
    case Told: return tr("What it told");
    default: return {};
    }
}

QByteArray historyAsCsv(const std::string& id, const std::vector<HistoryRow>& rows)
{
    std::string file = "id,at,transition,from,to,actor,reason,worker,shard,note\r\n";
    for (const auto& row : rows) {
        const std::array cells{id,
                               printRfc3339(row.at),
                               row.transition,
                               row.from,
                               row.to,
                               row.actor,
                               row.reason,
                               row.worker,
                               std::to_string(row.shard),
                               row.note};
        for (std::size_t at = 0; at < cells.size(); ++at) {
            file += (at == 0 ? "" : ",") + csvCell(cells[at]);
        }
        file += "\r\n";
    }
    return QByteArray::fromStdString(file);
}

QByteArray historyAsJsonLines(const std::string& id, const std::vector<HistoryRow>& rows)
{
    QByteArray file;
    for (const auto& row : rows) {
        const QJsonObject line{{QStringLiteral("id"), textOf(id)},
                               {QStringLiteral("at"), textOf(printRfc3339(row.at))},
                               {QStringLiteral("transition"), textOf(row.transition)},
                               {QStringLiteral("from"), textOf(row.from)},
                               {QStringLiteral("to"), textOf(row.to)},
                               {QStringLiteral("actor"), textOf(row.actor)},
                               {QStringLiteral("reason"), textOf(row.reason)},
                               {QStringLiteral("worker"), textOf(row.worker)},
                               {QStringLiteral("shard"), static_cast<int>(row.shard)},
                               {QStringLiteral("note"), textOf(row.note)}};
        file += QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n';
    }
    return file;
}

}  // namespace restante::gui
