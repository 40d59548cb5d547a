#include "gui/jobs/jobs_table.h"

#include "gui/app/preferences.h"
#include "gui/jobs/jobs_delegate.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QDrag>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QScopedValueRollback>
#include <QScrollBar>

#include <chrono>

namespace restante::gui {

namespace {

/// Raised when a stored header would not fit the columns any more.
constexpr int kLayoutVersion = 1;
constexpr std::chrono::milliseconds kSaveDelay{300};
constexpr std::chrono::seconds kClockStep{1};
constexpr int kDueColumn = static_cast<int>(JobColumn::Due);

}  // namespace

JobsTable::JobsTable(Context context, JobsFeed& feed, const QString& layout, QWidget* parent)
    : QTableView(parent),
      preferences_(context.preferences),
      layout_(layout),
      feed_(feed),
      jobs_(new JobsModel(feed, picks_, context.preferences, this)),
      marks_(new JobsSelection(*jobs_, picks_, this))
{
    setObjectName(QStringLiteral("jobsTable"));
    setModel(jobs_);
    auto* replaced = selectionModel();
    setSelectionModel(marks_);
    delete replaced;
    setItemDelegate(new JobsDelegate(this));
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setAlternatingRowColors(true);
    setShowGrid(false);
    setWordWrap(false);
    setCornerButtonEnabled(false);
    setTabKeyNavigation(false);
    setDragEnabled(true);
    setDragDropMode(QAbstractItemView::DragOnly);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    verticalHeader()->hide();
    setRowHeight();
    setUpHeader();
    connect(&feed_, &JobsFeed::aboutToSwap, this, &JobsTable::rememberPlace);
    connect(&feed_, &JobsFeed::swapped, this, &JobsTable::findPlace);
    connect(&feed_, &JobsFeed::resized, this, &JobsTable::tellVisible);
    connect(&feed_, &JobsFeed::rowsArrived, this, [this](RowRange rows) {
        if (rows.first <= currentIndex().row() && currentIndex().row() <= rows.last) {
            currentChanged(currentIndex(), {});
        }
    });
    clock_.setInterval(kClockStep);
    connect(&clock_, &QTimer::timeout, this, [this] {
        if (isVisible() && preferences_.relativeTimes()) {
            jobs_->repaint(visibleRows());
        }
    });
    clock_.start();
    connect(&preferences_, &Preferences::changed, this, [this] { jobs_->repaint(visibleRows()); });
    connect(&preferences_, &Preferences::layoutsForgotten, this, &JobsTable::resetColumns);
    retranslate();
}

void JobsTable::setRowHeight()
{
    // Fixed: a header that measures rows asks for all of them.
    auto* rows = verticalHeader();
    rows->setSectionResizeMode(QHeaderView::Fixed);
    const auto height = fontMetrics().height() * 3 / 2;
    rows->setMinimumSectionSize(height);
    rows->setDefaultSectionSize(height);
}

void JobsTable::setUpHeader()
{
    auto* header = horizontalHeader();
    header->setObjectName(QStringLiteral("jobsHeader"));
    header->setSectionsMovable(true);
    header->setFirstSectionMovable(false);
    header->setHighlightSections(false);
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
        const bool descending = feed_.view().descending;
        showOrder(section == kDueColumn ? !descending : descending);
        if (section == kDueColumn) {
            emit orderWanted(!descending);
        }
    });
    showOrder(false);
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
    const auto stored = preferences_.layout(layout_);
    // "version columns state": what a program with fewer columns left is taken as it is, and the
    // columns that it did not know stay as they came.
    const auto parts = stored.split(' ');
    if (parts.size() == 3 && parts[0].toInt() == kLayoutVersion) {
        header->restoreState(QByteArray::fromBase64(parts[2]));
        for (int at = parts[1].toInt(); at < kJobColumns; ++at) {
            const auto column = static_cast<JobColumn>(at);
            header->resizeSection(at, zero * widthOf(column));
            header->setSectionHidden(at, !shownAtFirst(column));
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
    showOrder(feed_.view().descending);
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

void JobsTable::showOrder(bool descending)
{
    horizontalHeader()->setSortIndicator(kDueColumn,
                                         descending ? Qt::DescendingOrder : Qt::AscendingOrder);
}

const JobRow* JobsTable::currentJob() const
{
    return currentIndex().isValid() ? feed_.row(static_cast<std::uint64_t>(currentIndex().row()))
                                    : nullptr;
}

std::string JobsTable::topId() const
{
    const auto rows = visibleRows();
    const auto* row = rows.empty() ? nullptr : feed_.row(static_cast<std::uint64_t>(rows.first));
    return row == nullptr ? std::string() : row->id;
}

RowRange JobsTable::visibleRows() const
{
    const auto count = static_cast<std::int64_t>(feed_.total());
    const auto height = std::max(1, verticalHeader()->defaultSectionSize());
    const auto first = verticalScrollMode() == QAbstractItemView::ScrollPerItem
                           ? verticalScrollBar()->value()
                           : verticalScrollBar()->value() / height;
    const auto rows = (viewport()->height() + height - 1) / height;
    return {first, std::min<std::int64_t>(count, std::int64_t{first} + rows) - 1};
}

void JobsTable::goTo(std::int64_t row)
{
    if (row < 0 || row >= static_cast<std::int64_t>(feed_.total())) {
        return;
    }
    const auto index = jobs_->index(static_cast<int>(row), static_cast<int>(JobColumn::State));
    marks_->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    scrollTo(index);
}

JobsTable::Cell JobsTable::cellAt(const QPoint& place) const
{
    const auto index = indexAt(place);
    return index.isValid() ? Cell{feed_.row(static_cast<std::uint64_t>(index.row())),
                                  static_cast<JobColumn>(index.column())}
                           : Cell{};
}

JobsTable::Cell JobsTable::currentCell() const
{
    return {currentJob(), static_cast<JobColumn>(std::max(0, currentIndex().column()))};
}

bool JobsTable::inHand() const
{
    return dragging_ || state() == DragSelectingState || state() == DraggingState ||
           verticalScrollBar()->isSliderDown();
}

void JobsTable::retranslate()
{
    setAccessibleName(tr("Jobs"));
    horizontalHeader()->setAccessibleName(tr("Columns"));
    jobs_->retranslate();
}

QItemSelectionModel::SelectionFlags JobsTable::selectionCommand(const QModelIndex& index,
                                                                const QEvent* event) const
{
    const bool onBox = index.isValid() && index.column() == static_cast<int>(JobColumn::Pick);
    if (event != nullptr && onBox) {
        switch (event->type()) {
        case QEvent::MouseButtonPress:
            return QItemSelectionModel::Toggle | QItemSelectionModel::Rows;
        case QEvent::MouseButtonRelease:
        case QEvent::MouseMove: return QItemSelectionModel::NoUpdate;
        default: break;
        }
    }
    if (event != nullptr && event->type() == QEvent::KeyPress &&
        static_cast<const QKeyEvent*>(event)->key() == Qt::Key_Space) {
        return QItemSelectionModel::Toggle | QItemSelectionModel::Rows;
    }
    return QTableView::selectionCommand(index, event);
}

void JobsTable::keyPressEvent(QKeyEvent* event)
{
    if (event->text() == QLatin1String("/") && event->modifiers() == Qt::NoModifier) {
        emit findWanted();
        return;
    }
    if (event->matches(QKeySequence::SelectAll)) {
        marks_->pickLoaded();
        return;
    }
    // A letter would make Qt look for it in every row.
    const bool isText =
        !event->text().isEmpty() && event->text().at(0).isPrint() && event->key() != Qt::Key_Space;
    if (isText && (event->modifiers() & ~Qt::ShiftModifier) == Qt::NoModifier) {
        event->ignore();
        return;
    }
    QTableView::keyPressEvent(event);
}

void JobsTable::mousePressEvent(QMouseEvent* event)
{
    pressedAt_ = event->pos();
    QTableView::mousePressEvent(event);
}

/// One cell is dragged, as a term for the filter box and as text for others. Qt's own would collect
/// every selected index first.
void JobsTable::startDrag(Qt::DropActions)
{
    const auto cell = cellAt(pressedAt_.value_or(QPoint(-1, -1)));
    if (cell.row == nullptr) {
        return;
    }
    auto* carried = new QMimeData;
    carried->setText(wholeTextOf(*cell.row, cell.column, jobs_->times()));
    carried->setData(QStringLiteral("application/x-restante-term"),
                     termFor(*cell.row, cell.column).toUtf8());
    auto* drag = new QDrag(this);
    drag->setMimeData(carried);
    const QScopedValueRollback busy(dragging_, true);
    drag->exec(Qt::CopyAction);
}

void JobsTable::scrollContentsBy(int dx, int dy)
{
    QTableView::scrollContentsBy(dx, dy);
    if (dy != 0) {
        tellVisible();
    }
}

void JobsTable::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    tellVisible();
}

void JobsTable::tellVisible()
{
    feed_.setVisible(visibleRows());
}

void JobsTable::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QTableView::currentChanged(current, previous);
    const auto* row = currentJob();
    const auto id = row == nullptr ? std::string() : row->id;
    if (id != toldCurrent_) {
        toldCurrent_ = id;
        emit currentJobChanged(id);
    }
}

void JobsTable::contextMenuEvent(QContextMenuEvent* event)
{
    auto at = event->globalPos();
    if (event->reason() == QContextMenuEvent::Keyboard && currentIndex().isValid()) {
        at = viewport()->mapToGlobal(visualRect(currentIndex()).bottomLeft());
    }
    emit cellMenuWanted(at);
}

void JobsTable::rememberPlace()
{
    place_ = {};
    place_.topRow = visibleRows().first;
    place_.top = topId();
    if (const auto* row = currentJob()) {
        place_.current = row->id;
    }
    place_.currentRow = currentIndex().isValid() ? currentIndex().row() : -1;
    place_.column = std::max(0, currentIndex().column());
}

/// The first row on the screen stays the first, wherever it is by now; so does the current job.
void JobsTable::findPlace()
{
    if (const auto row = place_.top.empty() ? -1 : feed_.rowOf(place_.top);
        row >= 0 && row != place_.topRow) {
        auto* bar = verticalScrollBar();
        const auto step = verticalScrollMode() == QAbstractItemView::ScrollPerItem
                              ? 1
                              : verticalHeader()->defaultSectionSize();
        updateGeometries();
        bar->setValue(bar->value() + static_cast<int>(row - place_.topRow) * step);
        emit pushedDown(row - place_.topRow);
    }
    if (!place_.current.empty()) {
        if (const auto row = feed_.rowOf(place_.current); row >= 0 && row != place_.currentRow) {
            const auto index = jobs_->index(static_cast<int>(row), place_.column);
            // Without Qt's scrolling to it.
            const bool scrolls = hasAutoScroll();
            setAutoScroll(false);
            marks_->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
            setAutoScroll(scrolls);
        }
    }
    tellVisible();
}

}  // namespace restante::gui
