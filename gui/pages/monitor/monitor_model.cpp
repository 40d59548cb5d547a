#include "gui/pages/monitor/monitor_model.h"

#include "gui/base/utc.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QCoreApplication>
#include <QDateTime>

#include <algorithm>
#include <array>
#include <utility>

namespace restante::gui {

namespace {

/// Names for programs: they do not change with the language.
constexpr std::array<const char*, kLines> kColumns{
    "pushed_per_s", "finished_per_s", "retried_per_s", "failed_per_s",
    "ready",        "leased",         "scheduled",     "held",
    "dead",         "late_p50_ms",    "late_p95_ms",   "late_p99_ms"};

}  // namespace

QString lineName(Line line)
{
    switch (line) {
    case Line::Pushed: return QCoreApplication::translate("Line", "Pushed");
    case Line::Finished: return QCoreApplication::translate("Line", "Finished");
    case Line::Retried: return QCoreApplication::translate("Line", "Retried");
    case Line::Failed: return QCoreApplication::translate("Line", "Failed");
    case Line::Ready: return Theme::stateName(JobState::Ready);
    case Line::Leased: return Theme::stateName(JobState::Leased);
    case Line::Scheduled: return Theme::stateName(JobState::Scheduled);
    case Line::Held: return Theme::stateName(JobState::Held);
    case Line::Dead: return Theme::stateName(JobState::Dead);
    case Line::Half: return QCoreApplication::translate("Line", "Late p50");
    case Line::Most: return QCoreApplication::translate("Line", "Late p95");
    case Line::Nearly: return QCoreApplication::translate("Line", "Late p99");
    case Line::Count_: break;
    }
    return {};
}

QString csvOf(const std::vector<Step>& steps)
{
    auto text = QStringLiteral("time");
    for (const auto* column : kColumns) {
        text += u',' + QString::fromLatin1(column);
    }
    text += QStringLiteral("\r\n");
    for (const auto& step : steps) {
        text += QDateTime::fromMSecsSinceEpoch(toEpochMs(step.at), kUtc).toString(Qt::ISODate);
        for (const auto& value : step.values) {
            text += u',' + (value ? QString::number(*value, 'g', 12) : QString());
        }
        text += QStringLiteral("\r\n");
    }
    return text;
}

MonitorModel::MonitorModel(const Preferences& preferences, Write write, QObject* parent)
    : QAbstractTableModel(parent),
      preferences_(preferences),
      write_(std::move(write))
{
}

void MonitorModel::setContent(const std::vector<Step>& steps)
{
    const auto first = std::find_if(steps.begin(), steps.end(), [](const Step& step) {
        return std::any_of(step.values.begin(), step.values.end(),
                           [](const auto& value) { return value.has_value(); });
    });
    std::vector<Step> newest(std::make_reverse_iterator(steps.end()),
                             std::make_reverse_iterator(first));
    const auto before = rowCount();
    const auto after = static_cast<int>(newest.size());
    // New steps come at the top, so that whoever has scrolled down keeps the same rows.
    const bool follows = before != 0 && after != 0 && newest.front().at >= steps_.front().at;
    const auto same =
        follows ? std::find_if(newest.begin(), newest.end(),
                               [this](const Step& step) { return step.at == steps_.front().at; })
                : newest.end();
    if (same == newest.end()) {
        beginResetModel();
        steps_ = std::move(newest);
        endResetModel();
        return;
    }
    if (const auto added = static_cast<int>(same - newest.begin()); added > 0) {
        beginInsertRows({}, 0, added - 1);
        steps_.insert(steps_.begin(), newest.begin(), same);
        endInsertRows();
    }
    if (rowCount() > after) {
        beginRemoveRows({}, after, rowCount() - 1);
        steps_.resize(newest.size());
        endRemoveRows();
    }
    if (rowCount() < after) {
        beginInsertRows({}, rowCount(), after - 1);
        steps_.resize(newest.size());
        endInsertRows();
    }
    steps_ = std::move(newest);
    emit dataChanged(index(0, 0), index(after - 1, columnCount() - 1));
}

void MonitorModel::retranslate()
{
    emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    if (!steps_.empty()) {
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

int MonitorModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(steps_.size());
}

int MonitorModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 1 + static_cast<int>(kLines);
}

QVariant MonitorModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const auto& step = steps_[static_cast<std::size_t>(index.row())];
    const bool isTime = index.column() == 0;
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(
            Qt::Alignment((isTime ? Qt::AlignLeading : Qt::AlignTrailing) | Qt::AlignVCenter));
    }
    if (isTime) {
        return role == Qt::DisplayRole ? QVariant(TimeText(preferences_).absolute(step.at))
                                       : QVariant();
    }
    const auto line = static_cast<Line>(index.column() - 1);
    const auto value = step[line];
    switch (role) {
    case Qt::DisplayRole: return write_(line, value);
    case kRawRole: return value ? QVariant(*value) : QVariant();
    default: return {};
    }
}

QVariant MonitorModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(Qt::Alignment(
            (section == 0 ? Qt::AlignLeading : Qt::AlignTrailing) | Qt::AlignVCenter));
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    return section == 0 ? tr("Time") : lineName(static_cast<Line>(section - 1));
}

}  // namespace restante::gui
