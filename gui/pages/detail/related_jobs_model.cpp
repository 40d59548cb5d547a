#include "gui/pages/detail/related_jobs_model.h"

#include "gui/pages/detail/detail_text.h"
#include "gui/theme/icons.h"
#include "gui/theme/theme.h"

#include <QLocale>

namespace restante::gui {

void RelatedJobsModel::setContent(std::vector<JobRow> rows,
                                  std::function<QString(TimePoint)> moment)
{
    beginResetModel();
    rows_ = std::move(rows);
    moment_ = std::move(moment);
    endResetModel();
}

int RelatedJobsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int RelatedJobsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : Count;
}

QVariant RelatedJobsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    const auto& row = rows_[static_cast<std::size_t>(index.row())];
    const bool state = index.column() == State;
    switch (role) {
    case Qt::DisplayRole: break;
    case Qt::DecorationRole:
        return state ? QVariant(icon(Theme::style(row.state).icon)) : QVariant();
    case Qt::ForegroundRole: return state ? QVariant(Theme::style(row.state).ink) : QVariant();
    default: return {};
    }
    switch (index.column()) {
    case State: return Theme::stateName(row.state);
    case Due: return row.due == TimePoint::max() ? tr("at registration") : moment_(row.due);
    case Id: return textOf(row.id);
    case Topic: return row.topic;
    case From: return row.sender;
    case To: return row.recipient;
    case Tries:
        return row.attempts == 0 ? QLocale().toString(row.attempt)
                                 : tr("%1/%2").arg(QLocale().toString(row.attempt),
                                                   QLocale().toString(row.attempts));
    default: return row.lastError;
    }
}

QVariant RelatedJobsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case State: return tr("State");
    case Due: return tr("Due");
    case Id: return tr("Id");
    case Topic: return tr("Topic");
    case From: return tr("From");
    case To: return tr("To");
    case Tries: return tr("Tries");
    default: return tr("Last error");
    }
}

}  // namespace restante::gui
