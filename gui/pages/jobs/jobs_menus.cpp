#include "gui/pages/jobs/jobs_menus.h"

#include "gui/actions/action_registry.h"
#include "gui/pages/jobs/filter_text.h"
#include "gui/pages/page_parts.h"
#include "gui/theme/icons.h"

#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QTextEdit>

namespace restante::gui {

namespace {

/// Copies the selection of the text widget that has the focus, if there is one; else false.
bool copyFocusedText()
{
    auto* focus = QApplication::focusWidget();
    const bool isText = qobject_cast<QLineEdit*>(focus) != nullptr ||
                        qobject_cast<QPlainTextEdit*>(focus) != nullptr ||
                        qobject_cast<QTextEdit*>(focus) != nullptr;
    return isText && QMetaObject::invokeMethod(focus, "copy");
}

}  // namespace

JobsMenus::JobsMenus(Context context, JobsTable& table, QWidget* page)
    : QObject(page),
      context_(context),
      table_(table),
      page_(page)
{
    const auto connectCopy = [this](ActionId id, CopyFormat format) {
        connect(context_.actions[id], &QAction::triggered, this, [this, format] {
            if (page_->isVisible() && (format != CopyFormat::Table || !copyFocusedText())) {
                copy(format);
            }
        });
    };
    connectCopy(ActionId::Copy, CopyFormat::Table);
    connectCopy(ActionId::CopyAsJson, CopyFormat::Json);
    connectCopy(ActionId::CopyId, CopyFormat::Ids);
    connect(&table_, &JobsTable::cellMenuRequested, this, [this](const QPoint& at) {
        const auto position = table_.viewport()->mapFromGlobal(at);
        auto cell = table_.cellAt(position);
        if (cell.row == nullptr) {
            cell = table_.currentCell();
        }
        if (auto* menu = cellMenu(cell, &table_)) {
            menu->popup(at);
        }
    });
    connect(&table_, &JobsTable::columnsMenuRequested, this,
            [this](const QPoint& at) { columnsMenu(&table_)->popup(at); });
}

void JobsMenus::copy(CopyFormat format)
{
    std::vector<JobRow> rows;
    table_.jobs().feed().forEachLoaded([&](std::uint64_t, const JobRow& row) {
        if (table_.selectedJobs().has(row.id)) {
            rows.push_back(row);
        }
    });
    if (rows.empty()) {
        return;
    }
    QString text;
    switch (format) {
    case CopyFormat::Table:
        text = asTable(rows, table_.shownColumns(), table_.jobs().times());
        break;
    case CopyFormat::Json: text = asJson(rows); break;
    case CopyFormat::Ids: text = asIds(rows); break;
    }
    QApplication::clipboard()->setText(text);
    const auto count = static_cast<int>(rows.size());
    const auto selectedCount = table_.selectedJobs().count(table_.jobs().feed().total());
    emit statusTextChanged(
        rows.size() < selectedCount
            ? tr("Copied the %n job(s) that are loaded; an export writes all that are "
                 "selected",
                 "", count)
            : tr("Copied %n job(s)", "", count));
}

QMenu* JobsMenus::cellMenu(const JobsTable::Cell& cell, QWidget* parent)
{
    if (cell.row == nullptr) {
        return nullptr;
    }
    auto* menu = makeWidget<QMenu>("cellMenu", parent);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto term = termFor(*cell.row, cell.column);
    const auto value = fullTextOf(*cell.row, cell.column, table_.jobs().times());
    auto* filterBy = menu->addAction(icon(QStringLiteral("filter")), tr("&Filter by This"), this,
                                     [this, term] { emit termRequested(term); });
    filterBy->setObjectName(QStringLiteral("filterByThis"));
    filterBy->setEnabled(!term.isEmpty());
    auto* exclude = menu->addAction(tr("E&xclude This"), this,
                                    [this, term] { emit termRequested(negated(term)); });
    exclude->setObjectName(QStringLiteral("excludeThis"));
    exclude->setEnabled(!term.isEmpty());
    auto* copyValue = menu->addAction(tr("Copy &Value"), this,
                                      [value] { QApplication::clipboard()->setText(value); });
    copyValue->setObjectName(QStringLiteral("copyValue"));
    copyValue->setEnabled(!value.isEmpty());
    menu->addSeparator();
    addActions(menu, {ActionId::OpenJob, ActionId::OpenJobInWindow});
    addActions(menu, {ActionId::RunNow, ActionId::Reschedule, ActionId::Hold, ActionId::Restore});
    addActions(menu, {ActionId::DuplicateAsNew});
    addActions(menu, {ActionId::Trash, ActionId::DeletePermanently});
    addActions(menu, {ActionId::Copy, ActionId::CopyAsJson, ActionId::CopyId});
    return menu;
}

void JobsMenus::addActions(QMenu* menu, std::initializer_list<ActionId> ids)
{
    for (const auto id : ids) {
        menu->addAction(context_.actions[id]);
    }
    menu->addSeparator();
}

QMenu* JobsMenus::columnsMenu(QWidget* parent)
{
    auto* menu = makeWidget<QMenu>("columnsMenu", parent);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (int at = 1; at < kJobColumns; ++at) {
        const auto column = static_cast<JobColumn>(at);
        auto* action = menu->addAction(titleOf(column));
        action->setCheckable(true);
        action->setChecked(table_.isColumnChosen(column));
        connect(action, &QAction::toggled, this,
                [this, column](bool shown) { table_.setColumnShown(column, shown); });
    }
    menu->addSeparator();
    menu->addAction(context_.actions[ActionId::Columns]);
    return menu;
}

}  // namespace restante::gui
