#include "gui/pages/jobs/jobs_model.h"

#include "gui/base/text_piece.h"
#include "gui/theme/icons.h"
#include "gui/theme/table_style.h"
#include "gui/theme/theme.h"

#include <QApplication>
#include <QPalette>

#include <algorithm>

namespace restante::gui {

namespace {

/// A tool tip is read, not scrolled.
constexpr qsizetype kMaxToolTipChars = 1'500;

int alignmentOf(JobColumn column)
{
    return (isRightAligned(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
}

}  // namespace

JobsModel::JobsModel(JobsFeed& feed,
                     const SelectedJobs& selected,
                     const Preferences& preferences,
                     QObject* parent)
    : QAbstractTableModel(parent),
      feed_(feed),
      selected_(selected),
      times_(preferences),
      now_([] { return SystemClock().now(); })
{
    connect(&feed_, &JobsFeed::rowsArrived, this, &JobsModel::repaint);
    connect(&feed_, &JobsFeed::swapped, this, &JobsModel::repaintAll);
    // The title of the Due column depends on the view.
    connect(&feed_, &JobsFeed::reset, this,
            [this] { emit headerDataChanged(Qt::Horizontal, 0, kJobColumns - 1); });
    connect(&feed_, &JobsFeed::aboutToResize, this, [this](std::uint64_t from, std::uint64_t to) {
        const auto first = static_cast<int>(std::min(from, to));
        const auto last = static_cast<int>(std::max(from, to)) - 1;
        resizing_ = true;
        if (to > from) {
            beginInsertRows({}, first, last);
        } else {
            beginRemoveRows({}, first, last);
        }
    });
    connect(&feed_, &JobsFeed::resized, this, [this](std::uint64_t from, std::uint64_t to) {
        if (to > from) {
            endInsertRows();
        } else {
            endRemoveRows();
        }
        resizing_ = false;
    });
}

int JobsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(feed_.total());
}

int JobsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kJobColumns;
}

QVariant JobsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    const auto* row = feed_.row(index.row());
    if (row == nullptr) {
        switch (role) {
        case LoadingRole: return true;
        case Qt::AccessibleTextRole: return tr("Loading");
        default: return {};
        }
    }
    return cellData(*row, static_cast<JobColumn>(index.column()), role);
}

QVariant JobsModel::cellData(const JobRow& row, JobColumn column, int role) const
{
    switch (role) {
    case Qt::DisplayRole: return textOf(row, column, times_, now_());
    case Qt::ToolTipRole: return toolTip(row, column);
    case Qt::DecorationRole: {
        if (column != JobColumn::State) {
            return {};
        }
        auto& icon = icons_[row.state];
        if (icon.isNull()) {
            icon = gui::icon(Theme::style(row.state).icon);
        }
        return icon;
    }
    case Qt::ForegroundRole:
        if (stale_) {
            return QApplication::palette().brush(QPalette::Disabled, QPalette::Text);
        }
        return column == JobColumn::State ? QVariant(QBrush(Theme::style(row.state).foreground))
                                          : QVariant();
    case Qt::TextAlignmentRole: return alignmentOf(column);
    case Qt::CheckStateRole:
        return column == JobColumn::CheckBox
                   ? QVariant(int(selected_.has(row.id) ? Qt::Checked : Qt::Unchecked))
                   : QVariant();
    case Qt::AccessibleTextRole:
        if (column == JobColumn::CheckBox) {
            return selected_.has(row.id) ? tr("Selected") : tr("Not selected");
        }
        return tr("%1: %2").arg(titleIn(feed_.view(), column), textOf(row, column, times_, now_()));
    case LoadingRole: return false;
    case IdRole: return QString::fromStdString(row.id);
    default: return {};
    }
}

QVariant JobsModel::toolTip(const JobRow& row, JobColumn column) const
{
    const auto fullText =
        column == JobColumn::CheckBox ? QString() : fullTextOf(row, column, times_);
    return fullText.isEmpty() ? QVariant() : literalTip(beginningOf(fullText, kMaxToolTipChars));
}

QVariant JobsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section >= kJobColumns) {
        return {};
    }
    const auto column = static_cast<JobColumn>(section);
    switch (role) {
    case Qt::DisplayRole: return titleIn(feed_.view(), column);
    case Qt::ToolTipRole:
        return column == JobColumn::Due && !ordered_
                   ? tr("Jobs that an id or a key leads to come in no order of time")
                   : tipOf(column);
    case Qt::AccessibleTextRole:
        return column == JobColumn::CheckBox ? tr("Selected") : titleIn(feed_.view(), column);
    case Qt::TextAlignmentRole: return alignmentOf(column);
    default: return {};
    }
}

Qt::ItemFlags JobsModel::flags(const QModelIndex& index) const
{
    return index.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled |
                                 Qt::ItemNeverHasChildren
                           : Qt::NoItemFlags;
}

void JobsModel::setStale(bool stale)
{
    if (stale_ != stale) {
        stale_ = stale;
        repaintAll();
    }
}

void JobsModel::repaint(RowRange rows)
{
    const auto last = std::min<std::int64_t>(rows.last, rowCount() - 1);
    if (rows.first <= last) {
        emit dataChanged(index(static_cast<int>(rows.first), 0),
                         index(static_cast<int>(last), kJobColumns - 1));
    }
}

void JobsModel::repaintAll()
{
    repaint({0, static_cast<std::int64_t>(feed_.total()) - 1});
}

void JobsModel::retranslate()
{
    icons_.clear();
    emit headerDataChanged(Qt::Horizontal, 0, kJobColumns - 1);
    repaintAll();
}

}  // namespace restante::gui
