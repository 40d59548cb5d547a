#include "gui/pages/jobs/jobs_table.h"

#include "gui/base/preferences.h"
#include "gui/pages/jobs/filter_text.h"
#include "gui/theme/table_style.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QDrag>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QStyledItemDelegate>

#include <algorithm>
#include <chrono>
#include <vector>

namespace restante::gui {

namespace {

constexpr std::chrono::seconds kClockInterval{1};
/// Raised when a stored header would not fit the columns any more.
constexpr int kLayoutVersion = 1;
constexpr std::chrono::milliseconds kSaveDelay{300};
constexpr int kDueColumn = static_cast<int>(JobColumn::Due);

/// Paints cells as Qt does, and a grey bar where a row has not been loaded. *Thread of the window.*
class JobsDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        if (!index.data(JobsModel::LoadingRole).toBool() ||
            index.column() == static_cast<int>(JobColumn::CheckBox)) {
            return;
        }
        const auto height = option.fontMetrics.xHeight();
        const auto margin = option.fontMetrics.horizontalAdvance(u'0');
        // Lines of unlike length look like text that is on its way.
        const auto percent = 55 + (index.row() * 37 + index.column() * 53) % 40;
        const QRect bar(option.rect.left() + margin,
                        option.rect.top() + (option.rect.height() - height) / 2,
                        (option.rect.width() - 2 * margin) * percent / 100, height);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(option.palette.color(QPalette::Midlight));
        painter->drawRoundedRect(bar, height / 2.0, height / 2.0);
        painter->restore();
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        // One frame around the row, not around a cell of it.
        option->state &= ~QStyle::State_HasFocus;
        option->textElideMode =
            index.column() == static_cast<int>(JobColumn::Id) ? Qt::ElideMiddle : Qt::ElideRight;
        option->features &= ~QStyleOptionViewItem::WrapText;
    }
};

}  // namespace

JobsTable::JobsTable(Context context, JobsFeed& feed, const QString& layoutKey, QWidget* parent)
    : QTableView(parent),
      preferences_(context.preferences),
      layoutKey_(layoutKey),
      feed_(feed),
      jobs_(new JobsModel(feed, selected_, context.preferences, this)),
      selectionModel_(new JobsSelectionModel(*jobs_, selected_, this))
{
    setObjectName(QStringLiteral("jobsTable"));
    setModel(jobs_);
    auto* replacedModel = selectionModel();
    setSelectionModel(selectionModel_);
    delete replacedModel;
    setItemDelegate(new JobsDelegate(this));
    const auto rowHeight = fontMetrics().height() * 3 / 2;
    verticalHeader()->setMinimumSectionSize(rowHeight);
    applyRowStyle(*this, rowHeight);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setWordWrap(false);
    setCornerButtonEnabled(false);
    setDragEnabled(true);
    setDragDropMode(QAbstractItemView::DragOnly);
    setUpHeader();
    connect(&feed_, &JobsFeed::aboutToSwap, this, [this] {
        swapping_ = true;
        scrollBeforeSwap_ = verticalScrollBar()->value();
    });
    connect(&feed_, &JobsFeed::swapped, this, &JobsTable::restoreScrollPosition);
    connect(&feed_, &JobsFeed::resized, this, &JobsTable::updateVisibleRows);
    connect(&feed_, &JobsFeed::rowsArrived, this, &JobsTable::followCurrentJob);
    connect(&feed_, &JobsFeed::reset, this, [this] {
        swapping_ = false;
        awaitsCurrentRow_ = false;
        filledColumns_.clear();
        setCurrentJob(nullptr);
    });
    connect(&feed_, &JobsFeed::rowsArrived, this, &JobsTable::updateHiddenColumns);
    connect(&feed_, &JobsFeed::swapped, this, &JobsTable::updateHiddenColumns);
    clockTimer_.setInterval(kClockInterval);
    connect(&clockTimer_, &QTimer::timeout, this, [this] {
        if (isVisible() && preferences_.relativeTimes()) {
            jobs_->repaint(visibleRows());
        }
        emit ticked();
    });
    clockTimer_.start();
    connect(&preferences_, &Preferences::changed, this, [this] { jobs_->repaint(visibleRows()); });
    connect(&preferences_, &Preferences::layoutsForgotten, this, &JobsTable::reloadColumns);
    connect(&preferences_, &Preferences::layoutChanged, this, [this](const QString& key) {
        if (key == layoutKey_ && !ignoringHeaderSignals_) {
            reloadColumns();  // as another window shows them
        }
    });
    retranslate();
}

std::string JobsTable::firstVisibleId() const
{
    const auto rows = visibleRows();
    const auto* row = rows.empty() ? nullptr : feed_.row(rows.first);
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
    const auto index = jobs_->index(static_cast<int>(row), firstShownColumn());
    selectionModel_->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect |
                                                QItemSelectionModel::Rows);
    scrollTo(index);
    updateCurrentJob();
}

JobsTable::Cell JobsTable::cellAt(const QPoint& position) const
{
    const auto index = indexAt(position);
    return index.isValid() ? Cell{feed_.row(index.row()), static_cast<JobColumn>(index.column())}
                           : Cell{};
}

JobsTable::Cell JobsTable::currentCell() const
{
    return {jobInCurrentRow(), static_cast<JobColumn>(std::max(0, currentIndex().column()))};
}

bool JobsTable::isUserBusy() const
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
    const bool onBox = index.isValid() && index.column() == static_cast<int>(JobColumn::CheckBox);
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

QModelIndex JobsTable::moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers)
{
    const bool byRow = action == MoveHome || action == MoveEnd;
    return QTableView::moveCursor(action, byRow ? modifiers | Qt::ControlModifier : modifiers);
}

void JobsTable::keyPressEvent(QKeyEvent* event)
{
    if (event->text() == QLatin1String("/") && event->modifiers() == Qt::NoModifier) {
        emit findRequested();
        return;
    }
    if (event->matches(QKeySequence::SelectAll)) {
        selectionModel_->selectLoaded();
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
    // Who comes to a row by the keyboard has it selected, also when it was the current one before.
    const bool isNavigation = event->key() == Qt::Key_Home || event->key() == Qt::Key_End ||
                              event->key() == Qt::Key_Up || event->key() == Qt::Key_Down;
    if (isNavigation && event->modifiers() == Qt::NoModifier && currentIndex().isValid() &&
        !selectionModel_->isSelected(currentIndex())) {
        selectionModel_->select(currentIndex(),
                                QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    }
}

void JobsTable::mousePressEvent(QMouseEvent* event)
{
    pressedAt_ = event->pos();
    QTableView::mousePressEvent(event);
    // In the row where the keyboard is already there may be another job by now.
    if (currentIndex().isValid() && indexAt(event->pos()) == currentIndex()) {
        updateCurrentJob();
    }
}

/// One cell is dragged, as a term for the filter box and as text for others. Qt's own would collect
/// every selected index first.
void JobsTable::startDrag(Qt::DropActions)
{
    auto* mimeData = dragData(cellAt(pressedAt_.value_or(QPoint(-1, -1))));
    if (mimeData == nullptr) {
        return;
    }
    auto* drag = new QDrag(this);
    drag->setMimeData(mimeData);
    const QScopedValueRollback busy(dragging_, true);
    drag->exec(Qt::CopyAction);
}

QMimeData* JobsTable::dragData(const Cell& cell) const
{
    const auto term = cell.row == nullptr ? QString() : termFor(*cell.row, cell.column);
    if (term.isEmpty()) {
        return nullptr;
    }
    auto* mimeData = new QMimeData;
    mimeData->setText(fullTextOf(*cell.row, cell.column, jobs_->times()));
    mimeData->setData(kTermMimeType, term.toUtf8());
    return mimeData;
}

void JobsTable::scrollContentsBy(int dx, int dy)
{
    QTableView::scrollContentsBy(dx, dy);
    if (dy != 0) {
        updateVisibleRows();
    }
}

void JobsTable::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    fitTextColumn();
    updateVisibleRows();
}

void JobsTable::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QTableView::currentChanged(current, previous);
    if (swapping_ || movingCell_ || jobs_->resizing()) {
        return;  // rows or columns came or went: nobody has gone to another job
    }
    updateCurrentJob();
}

void JobsTable::updateCurrentJob()
{
    const auto* row = jobInCurrentRow();
    awaitsCurrentRow_ = currentIndex().isValid() && row == nullptr;
    setCurrentJob(row);
}

void JobsTable::setCurrentJob(const JobRow* row)
{
    const auto id = row == nullptr ? std::string() : row->id;
    if (id != currentJobId_) {
        currentJobId_ = id;
        emit currentJobChanged(id);
    }
}

/// Among rows that have just come: the one that the user has gone to already, or the current job
/// where it stands now.
void JobsTable::followCurrentJob(RowRange rows)
{
    const auto currentRow = currentIndex().row();
    if (awaitsCurrentRow_) {
        if (rows.first <= currentRow && currentRow <= rows.last && jobInCurrentRow() != nullptr) {
            updateCurrentJob();
        }
        return;
    }
    for (auto at = rows.first; at <= rows.last && !currentJobId_.empty(); ++at) {
        const auto* row = feed_.row(at);
        if (row == nullptr || row->id != currentJobId_) {
            continue;
        }
        if (at != currentRow) {
            // Without Qt's scrolling to it.
            const bool scrolls = hasAutoScroll();
            setAutoScroll(false);
            selectionModel_->setCurrentIndex(
                jobs_->index(static_cast<int>(at), std::max(0, currentIndex().column())),
                QItemSelectionModel::NoUpdate);
            setAutoScroll(scrolls);
        }
        return;
    }
}

void JobsTable::contextMenuEvent(QContextMenuEvent* event)
{
    auto at = event->globalPos();
    if (event->reason() == QContextMenuEvent::Keyboard && currentIndex().isValid()) {
        at = viewport()->mapToGlobal(visualRect(currentIndex()).bottomLeft());
    }
    emit cellMenuRequested(at);
}

/// The first row on the screen stays the first, wherever it is by now; so does the current job.
void JobsTable::restoreScrollPosition()
{
    if (const auto rows = feed_.shift(); rows != 0) {
        auto* bar = verticalScrollBar();
        const auto step = verticalScrollMode() == QAbstractItemView::ScrollPerItem
                              ? 1
                              : verticalHeader()->defaultSectionSize();
        updateGeometries();
        bar->setValue(scrollBeforeSwap_ + static_cast<int>(rows) * step);
        if (bar->value() != scrollBeforeSwap_) {
            emit rowsAddedAbove((bar->value() - scrollBeforeSwap_) / step);
        }
    }
    updateVisibleRows();
    feed_.forEachLoaded([this](std::uint64_t at, const JobRow& row) {
        if (row.id == currentJobId_) {
            followCurrentJob({static_cast<std::int64_t>(at), static_cast<std::int64_t>(at)});
        }
    });
    swapping_ = false;
    if (awaitsCurrentRow_) {
        updateCurrentJob();
    }
}

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
    saveTimer_.setSingleShot(true);
    saveTimer_.setInterval(kSaveDelay);
    connect(&saveTimer_, &QTimer::timeout, this, &JobsTable::saveColumns);
    const auto saveSoon = [this] {
        if (!ignoringHeaderSignals_) {
            customised_ = true;
            saveTimer_.start();
        }
    };
    connect(header, &QHeaderView::sectionMoved, this, saveSoon);
    connect(header, &QHeaderView::sectionResized, this, [this, saveSoon](int column, int, int) {
        // The last one is as wide as there is room, by itself.
        const bool stretches = column == lastShownColumn();
        if (!stretches) {
            saveSoon();
        }
    });
    connect(header, &QHeaderView::customContextMenuRequested, this, [this](const QPoint& at) {
        emit columnsMenuRequested(horizontalHeader()->viewport()->mapToGlobal(at));
    });
    connect(header, &QHeaderView::sectionClicked, this, [this](int section) {
        auto view = feed_.view();
        if (section == kDueColumn && jobs_->isOrdered()) {
            view.descending = !view.descending;
            emit sortOrderRequested(view.descending);
        }
        showSortOrder(view);  // Qt has moved the arrow to whatever was clicked
    });
    showSortOrder(feed_.view());
}

void JobsTable::restoreColumns()
{
    const QScopedValueRollback quiet(ignoringHeaderSignals_, true);
    const auto digitWidth = fontMetrics().horizontalAdvance(u'0');
    auto* header = horizontalHeader();
    for (int visualIndex = 0; visualIndex < kJobColumns; ++visualIndex) {
        const auto column = defaultOrder()[static_cast<std::size_t>(visualIndex)];
        const int at = static_cast<int>(column);
        header->moveSection(header->visualIndex(at), visualIndex);
        header->setSectionHidden(at, false);
        header->resizeSection(at, digitWidth * widthOf(column));
        header->setSectionHidden(at, !shownByDefault(column));
    }
    fitTitles(*header);
    const auto stored = preferences_.layout(layoutKey_);
    // "version columns state": what a program with fewer columns left is taken as it is, and the
    // columns that it did not know stay as they came.
    const auto parts = stored.split(' ');
    customised_ = parts.size() == 3 && parts[0].toInt() == kLayoutVersion &&
                  header->restoreState(QByteArray::fromBase64(parts[2]));
    if (customised_) {
        header->setSortIndicatorShown(true);  // its room is part of what a title wants
        for (int at = parts[1].toInt(); at < kJobColumns; ++at) {
            const auto column = static_cast<JobColumn>(at);
            header->setSectionHidden(at, !shownByDefault(column));
            header->resizeSection(
                at, std::max(digitWidth * widthOf(column), header->sectionSizeHint(at)));
        }
    }
    header->setSectionHidden(0, false);
    header->setSectionResizeMode(0, QHeaderView::Fixed);
    header->resizeSection(0, digitWidth * widthOf(JobColumn::CheckBox));
    header->setSectionsClickable(true);
    header->setSortIndicatorShown(true);
    chosenColumns_.clear();
    for (int at = 0; at < kJobColumns; ++at) {
        if (!header->isSectionHidden(at)) {
            chosenColumns_.insert(static_cast<JobColumn>(at));
        }
    }
    updateHiddenColumns();
}

/// A column in which nothing has been seen since the view began, or that says of every job what the
/// view says of all, gives its room to the others. It comes back with the first row that has
/// something there, and then stays.
void JobsTable::updateHiddenColumns()
{
    bool anyRow = false;
    feed_.forEachLoaded([&](std::uint64_t, const JobRow& row) {
        anyRow = true;
        for (const auto column : chosenColumns_) {
            if (filledColumns_.count(column) == 0 && !isEmptyIn(row, column)) {
                filledColumns_.insert(column);
            }
        }
    });
    const QScopedValueRollback quiet(ignoringHeaderSignals_, true);
    for (const auto column : chosenColumns_) {
        const bool empty = anyRow && filledColumns_.count(column) == 0;
        const bool hides =
            column != JobColumn::CheckBox && (empty || impliedByView(column, feed_.view()));
        if (isColumnHidden(static_cast<int>(column)) != hides) {
            setColumnHidden(static_cast<int>(column), hides);
        }
    }
    fitTextColumn();
    moveCurrentToShownColumn();
}

/// Qt leads the keyboard nowhere from a cell that hides; the job stays the current one.
void JobsTable::moveCurrentToShownColumn()
{
    if (!currentIndex().isValid() || !isColumnHidden(currentIndex().column())) {
        return;
    }
    const QScopedValueRollback quiet(movingCell_, true);
    const bool scrolls = hasAutoScroll();
    setAutoScroll(false);
    selectionModel_->setCurrentIndex(jobs_->index(currentIndex().row(), firstShownColumn()),
                                     QItemSelectionModel::NoUpdate);
    setAutoScroll(scrolls);
}

/// As the user wants them, whatever is empty: so they are kept.
void JobsTable::showChosenColumns()
{
    for (int at = 1; at < kJobColumns; ++at) {
        setColumnHidden(at, chosenColumns_.count(static_cast<JobColumn>(at)) == 0);
    }
}

/// Until the user sizes columns, the text takes what the others leave, and the last error, which
/// comes last, stays in sight.
void JobsTable::fitTextColumn()
{
    constexpr int kTextColumn = static_cast<int>(JobColumn::Text);
    if (customised_ || isColumnHidden(kTextColumn)) {
        return;
    }
    const auto digitWidth = fontMetrics().horizontalAdvance(u'0');
    auto* header = horizontalHeader();
    int othersWidth = 0;
    for (int at = 0; at < kJobColumns; ++at) {
        const auto column = static_cast<JobColumn>(at);
        if (at != kTextColumn && !isColumnHidden(at)) {
            othersWidth +=
                column == JobColumn::Error ? digitWidth * widthOf(column) : header->sectionSize(at);
        }
    }
    const QScopedValueRollback quiet(ignoringHeaderSignals_, true);
    header->resizeSection(kTextColumn,
                          std::max(viewport()->width() - othersWidth, digitWidth * 12));
}

void JobsTable::saveColumns()
{
    const QScopedValueRollback quiet(ignoringHeaderSignals_, true);
    showChosenColumns();
    preferences_.setLayout(layoutKey_, QByteArray::number(kLayoutVersion) + ' ' +
                                           QByteArray::number(kJobColumns) + ' ' +
                                           horizontalHeader()->saveState().toBase64());
    updateHiddenColumns();
}

void JobsTable::reloadColumns()
{
    saveTimer_.stop();
    restoreColumns();
    showSortOrder(feed_.view());
}

void JobsTable::resetToDefaults(Preferences& preferences)
{
    preferences.setLayout(layoutKey_, {});
    reloadColumns();
}

std::vector<JobColumn> JobsTable::shownColumns() const
{
    std::vector<JobColumn> columns;
    for (int visualIndex = 1; visualIndex < kJobColumns; ++visualIndex) {
        const auto column = static_cast<JobColumn>(horizontalHeader()->logicalIndex(visualIndex));
        if (!isColumnHidden(static_cast<int>(column))) {
            columns.push_back(column);
        }
    }
    return columns;
}

void JobsTable::setColumnShown(JobColumn column, bool shown)
{
    if (column != JobColumn::CheckBox) {
        if (shown) {
            chosenColumns_.insert(column);
        } else {
            chosenColumns_.erase(column);
        }
        setColumnHidden(static_cast<int>(column), !shown);
        saveColumns();
    }
}

void JobsTable::moveColumn(JobColumn column, int visualIndex)
{
    auto* header = horizontalHeader();
    header->moveSection(header->visualIndex(static_cast<int>(column)), visualIndex);
    saveColumns();
}

/// The leftmost cell of a job that is shown; the check box where there is none.
int JobsTable::firstShownColumn() const
{
    const auto shown = shownColumns();
    return static_cast<int>(shown.empty() ? JobColumn::CheckBox : shown.front());
}

/// The column at the right end; it is as wide as there is room.
int JobsTable::lastShownColumn() const
{
    for (int visualIndex = kJobColumns - 1; visualIndex > 0; --visualIndex) {
        const auto column = horizontalHeader()->logicalIndex(visualIndex);
        if (!isColumnHidden(column)) {
            return column;
        }
    }
    return 0;
}

void JobsTable::showSortOrder(const JobsView& view)
{
    const auto plan = view.combinedFilter().plan();
    const bool ordered = !plan.ids && !plan.bizKeys;
    jobs_->setOrdered(ordered);
    auto* header = horizontalHeader();
    header->setSortIndicatorShown(ordered);
    header->setSortIndicator(ordered ? kDueColumn : -1,
                             view.descending ? Qt::DescendingOrder : Qt::AscendingOrder);
}

}  // namespace restante::gui
