#include "gui/theme/table_look.h"

#include "gui/app/preferences.h"

#include <QFontMetrics>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QTableView>

#include <algorithm>

namespace restante::gui {

void dress(QTableView& table)
{
    table.setShowGrid(false);
    table.setAlternatingRowColors(true);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setWordWrap(false);
    table.setTabKeyNavigation(false);
    table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    auto* rows = table.verticalHeader();
    rows->hide();
    rows->setSectionResizeMode(QHeaderView::Fixed);
    rows->setDefaultSectionSize(table.fontMetrics().height() * 7 / 4);
    auto* columns = table.horizontalHeader();
    columns->setHighlightSections(false);
    columns->setSectionsMovable(true);
    columns->setDefaultAlignment(Qt::AlignLeading | Qt::AlignVCenter);
    columns->setMinimumSectionSize(table.fontMetrics().horizontalAdvance(u'0') * 5);
}

void rememberHeader(QHeaderView& header, Preferences& preferences, const QString& key)
{
    const auto asItCame = header.saveState();
    if (const auto left = preferences.layout(key); !left.isEmpty()) {
        header.restoreState(left);
    }
    const auto keep = [&header, &preferences, key] {
        preferences.setLayout(key, header.saveState());
    };
    QObject::connect(&header, &QHeaderView::sectionMoved, &header, keep);
    QObject::connect(&header, &QHeaderView::sectionResized, &header, keep);
    QObject::connect(&header, &QHeaderView::sortIndicatorChanged, &header, keep);
    QObject::connect(&preferences, &Preferences::layoutsForgotten, &header,
                     [&header, asItCame] { header.restoreState(asItCame); });
}

QString literalTip(const QString& text)
{
    return text.isEmpty()
               ? QString()
               : QStringLiteral("<p style='white-space:pre-wrap'>%1</p>").arg(text.toHtmlEscaped());
}

QString copiedRows(const QTableView& table)
{
    const auto* model = table.model();
    auto rows = table.selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end(),
              [](const auto& a, const auto& b) { return a.row() < b.row(); });
    QString text;
    for (const auto& row : rows) {
        QStringList cells;
        for (int at = 0; at < model->columnCount(); ++at) {
            const auto column = table.horizontalHeader()->logicalIndex(at);
            if (!table.isColumnHidden(column)) {
                auto cell = model->index(row.row(), column).data().toString();
                cells.append(cell.replace(u'\t', u' ').replace(u'\n', u' '));
            }
        }
        text += cells.join(u'\t') + u'\n';
    }
    return text;
}

}  // namespace restante::gui
