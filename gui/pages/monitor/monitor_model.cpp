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

struct LineText {
    const char* column;  ///< CSV header, not translated
    const char* name = nullptr;
    JobState state = {};  ///< the state whose name is used when `name` is null
};

/// In the order of Line.
constexpr std::array<LineText, kLines> kLineTexts{{
    {"pushed_per_s", QT_TRANSLATE_NOOP("Line", "Pushed")},
    {"finished_per_s", QT_TRANSLATE_NOOP("Line", "Finished")},
    {"retried_per_s", QT_TRANSLATE_NOOP("Line", "Retried")},
    {"failed_per_s", QT_TRANSLATE_NOOP("Line", "Failed")},
    {"ready", nullptr, JobState::Ready},
    {"leased", nullptr, JobState::Leased},
    {"scheduled", nullptr, JobState::Scheduled},
    {"held", nullptr, JobState::Held},
    {"dead", nullptr, JobState::Dead},
    {"late_p50_ms", QT_TRANSLATE_NOOP("Line", "Late p50")},
    {"late_p95_ms", QT_TRANSLATE_NOOP("Line", "Late p95")},
    {"late_p99_ms", QT_TRANSLATE_NOOP("Line", "Late p99")},
}};

}  // namespace

QString lineName(Line line)
{
    const auto& text = kLineTexts[static_cast<std::size_t>(line)];
    return text.name == nullptr ? Theme::stateName(text.state)
                                : QCoreApplication::translate("Line", text.name);
}

QString csvOf(const std::vector<MonitorPoint>& points)
{
    auto text = QStringLiteral("time");
    for (const auto& line : kLineTexts) {
        text += u',' + QString::fromLatin1(line.column);
    }
    text += QStringLiteral("\r\n");
    for (const auto& point : points) {
        text += QDateTime::fromMSecsSinceEpoch(toEpochMs(point.at), kUtc).toString(Qt::ISODate);
        for (const auto& value : point.values) {
            text += u',' + (value ? QString::number(*value, 'g', 12) : QString());
        }
        text += QStringLiteral("\r\n");
    }
    return text;
}

MonitorModel::MonitorModel(const Preferences& preferences, FormatValue format, QObject* parent)
    : RowModel(parent),
      preferences_(preferences),
      format_(std::move(format))
{
}

void MonitorModel::setContent(const std::vector<MonitorPoint>& points)
{
    const auto first = std::find_if(points.begin(), points.end(), [](const MonitorPoint& point) {
        return std::any_of(point.values.begin(), point.values.end(),
                           [](const auto& value) { return value.has_value(); });
    });
    std::vector<MonitorPoint> newest(std::make_reverse_iterator(points.end()),
                                     std::make_reverse_iterator(first));
    // New steps come at the top, so that whoever has scrolled down keeps the same rows.
    const bool follows = !rows_.empty() && !newest.empty() && newest.front().at >= rows_.front().at;
    const auto previousFirst = follows ? std::find_if(newest.begin(), newest.end(),
                                                      [this](const MonitorPoint& point) {
                                                          return point.at == rows_.front().at;
                                                      })
                                       : newest.end();
    if (previousFirst == newest.end()) {
        return setRows(std::move(newest));
    }
    insertAt(0, {newest.begin(), previousFirst});
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

QString MonitorModel::text(const MonitorPoint& point, int column) const
{
    if (column == 0) {
        return TimeText(preferences_).absolute(point.at);
    }
    const auto line = static_cast<Line>(column - 1);
    return format_(line, point[line]);
}

QVariant MonitorModel::attribute(const MonitorPoint& point, int column, int role) const
{
    const auto value = column == 0 ? std::nullopt : point[static_cast<Line>(column - 1)];
    return role == kRawRole && value ? QVariant(*value) : QVariant();
}

}  // namespace restante::gui
