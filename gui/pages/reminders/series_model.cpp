#include "gui/pages/reminders/series_model.h"

#include "gui/base/preferences.h"
#include "gui/pages/detail/payload_text.h"
#include "gui/session/job_preview.h"
#include "gui/theme/table_style.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <algorithm>
#include <limits>

namespace restante::gui {

namespace {

/// Texts may have any length; laying out long ones is slow.
constexpr qsizetype kMaxCellChars = 200;

QString cellText(QString text)
{
    text.truncate(kMaxCellChars);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](QChar c) { return c == u'\n' ? QChar(u' ') : visibleSymbol(c); });
    return text;
}

}  // namespace

SeriesModel::SeriesModel(const Preferences& preferences, QObject* parent)
    : RowModel(parent),
      preferences_(preferences)
{
}

const std::vector<TableColumn>& SeriesModel::columns() const
{
    static const std::vector<TableColumn> kColumns{
        {QT_TR_NOOP("To")},   {QT_TR_NOOP("Repeats")},     {QT_TR_NOOP("Text")},
        {QT_TR_NOOP("Next")}, {QT_TR_NOOP("Last result")}, {QT_TR_NOOP("State")},
    };
    return kColumns;
}

void SeriesModel::setContent(std::vector<SeriesRow> rows, TimePoint now)
{
    now_ = now;
    const auto isSame = [](const SeriesRow& a, const SeriesRow& b) { return a.id() == b.id(); };
    if (!std::ranges::equal(rows_, rows, isSame)) {
        return setRows(std::move(rows));
    }
    rows_ = std::move(rows);
    emitAllChanged();
}

void SeriesModel::setRunOutcome(const std::string& id, SeriesText::RunOutcome runOutcome)
{
    if (const auto row = rowOf(id); row >= 0) {
        rows_[static_cast<std::size_t>(row)].runOutcome = runOutcome;
        emit dataChanged(index(row, Last), index(row, Last));
    }
}

int SeriesModel::rowOf(const std::string& id) const
{
    const auto found = std::ranges::find(rows_, id, &SeriesRow::id);
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

QString SeriesModel::lastText(const SeriesRow& row) const
{
    if (!row.view.last) {
        return tr("none yet");
    }
    const auto status = SeriesText::lastRunStatus(*row.view.last, row.runOutcome);
    return tr("%1 · %2", "what became of it, when")
        .arg(status.word, TimeText(preferences_).text(row.view.last->at, now_));
}

QString SeriesModel::text(const SeriesRow& row, int column) const
{
    const auto& view = row.view;
    const auto& series = view.series;
    switch (column) {
    case To: return cellText(SeriesText::person(view.job.job.recipient));
    case Rule: return series ? cellText(SeriesText(preferences_).ruleAndZone(*series)) : QString();
    case Text: return series ? previewOf(series->job, series->job.body.size()) : QString();
    case Next:
        // A paused series has no next time before somebody resumes it.
        return view.isPaused() || view.next.empty()
                   ? QString()
                   : TimeText(preferences_).text(view.next.front(), now_);
    case Last: return lastText(row);
    case Status: return SeriesText::statusOf(view, now_).word;
    default: return {};
    }
}

QString SeriesModel::tip(const SeriesRow& row, int column) const
{
    const auto& view = row.view;
    switch (column) {
    case To: return literalTip(QString::fromStdString(view.job.job.recipient));
    case Rule:
        return literalTip(view.series ? QString::fromStdString(view.series->rule) : QString());
    case Text: return literalTip(text(row, Text));
    case Next:
        return view.next.empty() || view.isPaused()
                   ? QString()
                   : TimeText(preferences_).exact(view.next.front());
    case Last: {
        if (!view.last) {
            return {};
        }
        const auto tip = SeriesText::lastRunStatus(*view.last, row.runOutcome).tip;
        const auto at = TimeText(preferences_).exact(view.last->at);
        return literalTip(tip.isEmpty() ? at : at + u'\n' + tip);
    }
    case Status: return literalTip(SeriesText::statusOf(view, now_).tip);
    default: return {};
    }
}

QVariant SeriesModel::sortValue(const SeriesRow& row, int column) const
{
    const auto& view = row.view;
    if (column == Next) {
        return view.isPaused() || view.next.empty()
                   ? QVariant(std::numeric_limits<qint64>::max())
                   : QVariant(static_cast<qint64>(toEpochMs(view.next.front())));
    }
    if (column == Last) {
        return view.last ? static_cast<qint64>(toEpochMs(view.last->at)) : qint64{0};
    }
    return text(row, column);
}

QVariant SeriesModel::attribute(const SeriesRow& row, int column, int role) const
{
    if (role == Qt::ToolTipRole) {
        return tip(row, column);
    }
    if (role == kSortRole) {
        return sortValue(row, column);
    }
    if (column == Status || (column == Last && row.view.last)) {
        const auto status = column == Status
                                ? SeriesText::statusOf(row.view, now_)
                                : SeriesText::lastRunStatus(*row.view.last, row.runOutcome);
        return status.foreground.isValid() ? iconOrForeground(status.icon, status.foreground, role)
                                           : QVariant();
    }
    return {};
}

}  // namespace restante::gui
