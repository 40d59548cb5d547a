#include "gui/theme/table_style.h"

#include "gui/base/preferences.h"

#include <QFontMetrics>
#include <QHeaderView>
#include <QHelpEvent>
#include <QItemSelectionModel>
#include <QScopedValueRollback>
#include <QTableView>
#include <QToolTip>

#include <algorithm>
#include <memory>

namespace restante::gui {

namespace {

/// Stretched columns keep the width that the view gives them.
void widenToTitles(QHeaderView& header)
{
    for (int section = 0; section < header.count(); ++section) {
        const bool stretched =
            header.stretchLastSection() && header.visualIndex(section) == header.count() - 1;
        const bool isResizable = header.sectionResizeMode(section) == QHeaderView::Interactive &&
                                 !stretched && !header.isSectionHidden(section);
        const auto titleWidth = header.sectionSizeHint(section);
        if (isResizable && header.sectionSize(section) < titleWidth) {
            header.resizeSection(section, titleWidth);
        }
    }
}

const auto kFitterName = QStringLiteral("headerTitleFitter");

/// Fits the titles again after a change of language, and shows those that are cut. Owned by its
/// header.
class HeaderTitleFitter : public QObject {
public:
    explicit HeaderTitleFitter(QHeaderView& header) : QObject(&header), header_(header)
    {
        setObjectName(kFitterName);
        header.installEventFilter(this);
        header.viewport()->installEventFilter(this);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (watched == &header_ && event->type() == QEvent::LanguageChange) {
            // The model has its new titles once everybody has heard of the language.
            QMetaObject::invokeMethod(
                this, [this] { widenToTitles(header_); }, Qt::QueuedConnection);
        }
        if (watched == header_.viewport() && event->type() == QEvent::ToolTip) {
            return showFullTitle(static_cast<const QHelpEvent&>(*event));
        }
        return QObject::eventFilter(watched, event);
    }

private:
    bool showFullTitle(const QHelpEvent& event)
    {
        const auto at = header_.logicalIndexAt(event.pos());
        if (at < 0 || header_.sectionSize(at) >= header_.sectionSizeHint(at)) {
            return false;
        }
        const auto title = header_.model()->headerData(at, Qt::Horizontal).toString();
        QToolTip::showText(event.globalPos(), literalTip(title), &header_);
        return true;
    }

    QHeaderView& header_;
};

/// The order of the columns as another window has left it. Widths are a window's own: some tables
/// fit themselves to it, and two of unlike width would never agree.
void applyColumnOrder(QHeaderView& header, const QByteArray& state)
{
    QHeaderView saved(Qt::Horizontal);
    saved.setModel(header.model());
    if (!saved.restoreState(state) || saved.count() != header.count()) {
        return;
    }
    for (int position = 0; position < header.count(); ++position) {
        header.moveSection(header.visualIndex(saved.logicalIndex(position)), position);
    }
}

}  // namespace

void applyRowStyle(QTableView& table, int height)
{
    table.setShowGrid(false);
    table.setAlternatingRowColors(true);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setTabKeyNavigation(false);
    table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    auto* rows = table.verticalHeader();
    rows->hide();
    // Fixed: a header that measures rows asks for all of them.
    rows->setSectionResizeMode(QHeaderView::Fixed);
    rows->setDefaultSectionSize(height);
    table.horizontalHeader()->setHighlightSections(false);
}

void applyTableStyle(QTableView& table)
{
    applyRowStyle(table, table.fontMetrics().height() * 7 / 4);
    table.setWordWrap(false);
    auto* columns = table.horizontalHeader();
    columns->setSectionsMovable(true);
    columns->setDefaultAlignment(Qt::AlignLeading | Qt::AlignVCenter);
    columns->setMinimumSectionSize(table.fontMetrics().horizontalAdvance(u'0') * 5);
}

void fitTitles(QHeaderView& header)
{
    widenToTitles(header);
    if (header.findChild<QObject*>(kFitterName) == nullptr) {
        new HeaderTitleFitter(header);
    }
}

void rememberHeader(QHeaderView& header, Preferences& preferences, const QString& key)
{
    fitTitles(header);
    const auto standardState = header.saveState();
    if (const auto saved = preferences.layout(key); !saved.isEmpty()) {
        header.restoreState(saved);
    }
    const auto isFollowing = std::make_shared<bool>(false);  // shared by the slots below
    const auto save = [&header, &preferences, key, isFollowing] {
        if (!*isFollowing) {
            preferences.setLayout(key, header.saveState());
        }
    };
    QObject::connect(&preferences, &Preferences::layoutChanged, &header,
                     [&header, &preferences, key, isFollowing](const QString& changedKey) {
                         const auto state = preferences.layout(key);
                         if (changedKey == key && state != header.saveState()) {
                             const QScopedValueRollback guard(*isFollowing, true);
                             applyColumnOrder(header, state);
                         }
                     });
    QObject::connect(&header, &QHeaderView::sectionMoved, &header, save);
    QObject::connect(&header, &QHeaderView::sectionResized, &header, save);
    QObject::connect(&header, &QHeaderView::sortIndicatorChanged, &header, save);
    QObject::connect(&preferences, &Preferences::layoutsForgotten, &header,
                     [&header, standardState] { header.restoreState(standardState); });
}

QString literalTip(const QString& text)
{
    return text.isEmpty()
               ? QString()
               : QStringLiteral("<p style='white-space:pre-wrap'>%1</p>").arg(text.toHtmlEscaped());
}

QString selectedRowsText(const QTableView& table)
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
