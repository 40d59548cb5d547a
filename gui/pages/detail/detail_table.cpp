#include "gui/pages/detail/detail_table.h"

#include "gui/pages/detail/detail_text.h"
#include "gui/theme/table_style.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QToolTip>

namespace restante::gui {

DetailTable::DetailTable(QWidget* parent) : QTableView(parent)
{
    applyRowStyle(*this, fontMetrics().height() + fontMetrics().height() / 2);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setContextMenuPolicy(Qt::CustomContextMenu);
    setFrameShape(QFrame::NoFrame);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    horizontalHeader()->setStretchLastSection(true);
    fitTitles(*horizontalHeader());
}

QString DetailTable::selectedText() const
{
    QString text;
    if (selectionModel() == nullptr) {
        return text;
    }
    for (int row = 0; row < model()->rowCount(); ++row) {
        if (!selectionModel()->isRowSelected(row)) {
            continue;
        }
        for (int column = 0; column < model()->columnCount(); ++column) {
            text += column == 0 ? QString() : QStringLiteral("\t");
            text += model()->index(row, column).data(Qt::DisplayRole).toString();
        }
        text += u'\n';
    }
    return text;
}

void DetailTable::fitColumns(int maxChars)
{
    const int maxWidth = fontMetrics().averageCharWidth() * maxChars;
    for (int column = 0; column + 1 < model()->columnCount(); ++column) {
        resizeColumnToContents(column);
        setColumnWidth(column, std::min(columnWidth(column), maxWidth));
    }
}

bool DetailTable::event(QEvent* event)
{
    // Otherwise the window's shortcut for Copy would take the key.
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        event->accept();
        return true;
    }
    return QTableView::event(event);
}

void DetailTable::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy)) {
        QApplication::clipboard()->setText(selectedText());
        event->accept();
        return;
    }
    QTableView::keyPressEvent(event);
}

bool DetailTable::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) {
        return QTableView::viewportEvent(event);
    }
    const auto* helpEvent = static_cast<QHelpEvent*>(event);
    const auto index = indexAt(helpEvent->pos());
    const auto text = index.data(Qt::DisplayRole).toString();
    const auto cellRect = visualRect(index);
    const bool fits =
        fontMetrics().horizontalAdvance(text) + 2 * fontMetrics().height() < cellRect.width();
    const auto tip = index.data(Qt::ToolTipRole).toString();
    QToolTip::showText(helpEvent->globalPos(),
                       !tip.isEmpty() ? tipOf(tip)
                       : fits         ? QString()
                                      : tipOf(text),
                       viewport(), cellRect);
    return true;
}

DetailTable::ViewState DetailTable::viewState() const
{
    ViewState state;
    state.scrollValue = verticalScrollBar()->value();
    state.currentRow = currentIndex().row();
    if (selectionModel() != nullptr) {
        for (const auto& index : selectionModel()->selectedRows()) {
            state.selectedRows.append(index.row());
        }
    }
    return state;
}

void DetailTable::restoreViewState(const ViewState& state)
{
    if (selectionModel() == nullptr) {
        return;
    }
    const auto rowCount = model()->rowCount();
    for (const int row : state.selectedRows) {
        if (row < rowCount) {
            selectionModel()->select(model()->index(row, 0),
                                     QItemSelectionModel::Select | QItemSelectionModel::Rows);
        }
    }
    if (state.currentRow >= 0 && state.currentRow < rowCount) {
        selectionModel()->setCurrentIndex(model()->index(state.currentRow, 0),
                                          QItemSelectionModel::NoUpdate);
    }
    verticalScrollBar()->setValue(state.scrollValue);
}

}  // namespace restante::gui
