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
    : RowModel(parent),
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
    // New steps come at the top, so that whoever has scrolled down keeps the same rows.
    const bool follows = !rows_.empty() && !newest.empty() && newest.front().at >= rows_.front().at;
    const auto same =
        follows ? std::find_if(newest.begin(), newest.end(),
                               [this](const Step& step) { return step.at == rows_.front().at; })
                : newest.end();
    if (same == newest.end()) {
        return setRows(std::move(newest));
    }
    insertAt(0, {newest.begin(), same});
    if (rows_.size() > newest.size()) {
        removeAt(newest.size(), rows_.size() - newest.size());
    }
    insertAt(rows_.size(), {newest.begin() + rowCount(), newest.end()});
    rows_ = std::move(newest);
    emitAllChanged();
}

const std::vector<TableColumn>& MonitorModel::columns() const
{
    static const auto kColumns = [] {
        std::vector<TableColumn> columns(1 + kLines, {"", Qt::AlignTrailing | Qt::AlignVCenter});
        columns.front() = {QT_TR_NOOP("Time"), Qt::AlignLeading | Qt::AlignVCenter};
        return columns;
    }();
    return kColumns;
}

QString MonitorModel::title(int column) const
{
    return column == 0 ? RowModel::title(0) : lineName(static_cast<Line>(column - 1));
}

QString MonitorModel::text(const Step& step, int column) const
{
    if (column == 0) {
        return TimeText(preferences_).absolute(step.at);
    }
    const auto line = static_cast<Line>(column - 1);
    return write_(line, step[line]);
}

QVariant MonitorModel::attribute(const Step& step, int column, int role) const
{
    const auto value = column == 0 ? std::nullopt : step[static_cast<Line>(column - 1)];
    return role == kRawRole && value ? QVariant(*value) : QVariant();
}

}  // namespace restante::gui
