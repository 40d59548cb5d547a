#include "gui/base/preferences.h"
#include "gui/pages/jobs/jobs_table.h"
#include "gui/theme/table_style.h"

#include <QHeaderView>
#include <QScopedValueRollback>

#include <algorithm>
#include <chrono>
#include <vector>

// What of the table is its header: columns, their layout as it is kept, and the order.

namespace restante::gui {

namespace {

/// Raised when a stored header would not fit the columns any more.
constexpr int kLayoutVersion = 1;
constexpr std::chrono::milliseconds kSaveDelay{300};
constexpr int kDueColumn = static_cast<int>(JobColumn::Due);

}  // namespace

void JobsTable::setUpHeader()
{
    auto* header = horizontalHeader();
    header->setObjectName(QStringLiteral("jobsHeader"));
    header->setSectionsMovable(true);
    header->setFirstSectionMovable(false);
    header->setSectionsClickable(true);
    header->setSortIndicatorShown(true);
    header->setStretchLastSection(true);
    header->setTextElideMode(Qt::ElideRight);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    header->setMinimumSectionSize(fontMetrics().horizontalAdvance(u'0') * 3);
    restoreColumns();
    saveSoon_.setSingleShot(true);
    saveSoon_.setInterval(kSaveDelay);
    connect(&saveSoon_, &QTimer::timeout, this, &JobsTable::saveColumns);
    const auto later = [this] {
        if (!restoring_) {
            saveSoon_.start();
        }
    };
    connect(header, &QHeaderView::sectionMoved, this, later);
    connect(header, &QHeaderView::sectionResized, this, later);
    connect(header, &QHeaderView::customContextMenuRequested, this, [this](const QPoint& at) {
        emit columnsMenuWanted(horizontalHeader()->viewport()->mapToGlobal(at));
    });
    connect(header, &QHeaderView::sectionClicked, this, [this](int section) {
        auto view = feed_.view();
        if (section == kDueColumn && jobs_->isOrdered()) {
            view.descending = !view.descending;
            emit orderWanted(view.descending);
        }
        showOrder(view);  // Qt has moved the arrow to whatever was clicked
    });
    showOrder(feed_.view());
}

void JobsTable::restoreColumns()
{
    const QScopedValueRollback quiet(restoring_, true);
    const auto zero = fontMetrics().horizontalAdvance(u'0');
    auto* header = horizontalHeader();
    for (int at = 0; at < kJobColumns; ++at) {
        const auto column = static_cast<JobColumn>(at);
        header->moveSection(header->visualIndex(at), at);
        header->resizeSection(at, zero * widthOf(column));
        header->setSectionHidden(at, !shownAtFirst(column));
    }
    fitTitles(*header);
    const auto stored = preferences_.layout(layout_);
    // "version columns state": what a program with fewer columns left is taken as it is, and the
    // columns that it did not know stay as they came.
    const auto parts = stored.split(' ');
    if (parts.size() == 3 && parts[0].toInt() == kLayoutVersion) {
        header->restoreState(QByteArray::fromBase64(parts[2]));
        header->setSortIndicatorShown(true);  // its room is part of what a title wants
        for (int at = parts[1].toInt(); at < kJobColumns; ++at) {
            const auto column = static_cast<JobColumn>(at);
            header->setSectionHidden(at, !shownAtFirst(column));
            header->resizeSection(at,
                                  std::max(zero * widthOf(column), header->sectionSizeHint(at)));
        }
    }
    header->setSectionHidden(0, false);
    header->setSectionResizeMode(0, QHeaderView::Fixed);
    header->resizeSection(0, zero * widthOf(JobColumn::Pick));
    header->setSectionsClickable(true);
    header->setSortIndicatorShown(true);
}

void JobsTable::saveColumns()
{
    preferences_.setLayout(layout_, QByteArray::number(kLayoutVersion) + ' ' +
                                        QByteArray::number(kJobColumns) + ' ' +
                                        horizontalHeader()->saveState().toBase64());
}

void JobsTable::resetColumns()
{
    saveSoon_.stop();
    restoreColumns();
    showOrder(feed_.view());
}

void JobsTable::resetToFactory(Preferences& preferences)
{
    preferences.setLayout(layout_, {});
    resetColumns();
}

std::vector<JobColumn> JobsTable::shownColumns() const
{
    std::vector<JobColumn> columns;
    for (int place = 1; place < kJobColumns; ++place) {
        const auto column = static_cast<JobColumn>(horizontalHeader()->logicalIndex(place));
        if (isColumnShown(column)) {
            columns.push_back(column);
        }
    }
    return columns;
}

void JobsTable::setColumnShown(JobColumn column, bool shown)
{
    if (column != JobColumn::Pick) {
        setColumnHidden(static_cast<int>(column), !shown);
        saveColumns();
    }
}

bool JobsTable::isColumnShown(JobColumn column) const
{
    return !isColumnHidden(static_cast<int>(column));
}

void JobsTable::moveColumn(JobColumn column, int place)
{
    auto* header = horizontalHeader();
    header->moveSection(header->visualIndex(static_cast<int>(column)), place);
    saveColumns();
}

void JobsTable::showOrder(const JobsView& view)
{
    const auto plan = view.whole().plan();
    const bool ordered = !plan.ids && !plan.bizKeys;
    jobs_->setOrdered(ordered);
    auto* header = horizontalHeader();
    header->setSortIndicatorShown(ordered);
    header->setSortIndicator(ordered ? kDueColumn : -1,
                             view.descending ? Qt::DescendingOrder : Qt::AscendingOrder);
}

}  // namespace restante::gui
