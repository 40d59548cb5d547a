#include "gui/pages/dialogs/shortcuts_dialog.h"

#include "gui/actions/action_table.h"
#include "gui/pages/page_parts.h"
#include "gui/theme/icons.h"
#include "gui/theme/table_style.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

namespace restante::gui {

namespace {

QString keysText(const QAction& action)
{
    return QKeySequence::listToString(action.shortcuts(), QKeySequence::NativeText)
        .replace(QStringLiteral("; "), QStringLiteral(", "));
}

}  // namespace

ShortcutsDialog::ShortcutsDialog(Context context, QWidget* parent)
    : QDialog(parent),
      context_(context),
      shortcuts_(context.actions, context.preferences)
{
    setObjectName(QStringLiteral("shortcutsDialog"));
    setWindowTitle(tr("Shortcuts"));
    searchField_ = makeWidget<QLineEdit>("shortcutSearch", this);
    searchField_->setPlaceholderText(tr("Find a command or a key"));
    searchField_->setAccessibleName(searchField_->placeholderText());
    searchField_->setClearButtonEnabled(true);
    searchField_->addAction(icon(QStringLiteral("edit-find")), QLineEdit::LeadingPosition);
    table_ = makeWidget<QTableWidget>("shortcutTable", 0, 3, this);
    table_->setAccessibleName(tr("Commands and their keys"));
    table_->setHorizontalHeaderLabels({tr("Command"), tr("Key"), tr("What it does")});
    applyTableStyle(*table_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->horizontalHeader()->resizeSection(0, fontMetrics().averageCharWidth() * 28);
    table_->horizontalHeader()->resizeSection(1, fontMetrics().averageCharWidth() * 24);
    table_->horizontalHeader()->setStretchLastSection(true);
    fitTitles(*table_->horizontalHeader());
    auto* label = new QLabel(tr("New &key:"), this);
    key_ = makeWidget<QKeySequenceEdit>("shortcutKey", this);
    key_->setClearButtonEnabled(true);
    label->setBuddy(key_);
    assign_ = makeWidget<QPushButton>("shortcutAssign", tr("&Assign"), this);
    reset_ = makeWidget<QPushButton>("shortcutReset", tr("As It &Came"), this);
    auto* row = new QHBoxLayout;
    row->addWidget(label);
    row->addWidget(key_, 1);
    row->addWidget(assign_);
    row->addWidget(reset_);
    problem_ = wrappedLabel(this, "shortcutProblem");
    problem_->setMinimumHeight(fontMetrics().height() * 2);
    problem_->setAlignment(Qt::AlignLeading | Qt::AlignTop);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* resetAll = buttons->addButton(tr("All as They Came"), QDialogButtonBox::ResetRole);
    auto* column = new QVBoxLayout(this);
    column->addWidget(searchField_);
    column->addWidget(table_, 1);
    column->addLayout(row);
    column->addWidget(problem_);
    column->addWidget(buttons);
    connect(searchField_, &QLineEdit::textChanged, this, &ShortcutsDialog::search);
    connect(table_, &QTableWidget::currentCellChanged, this, &ShortcutsDialog::showCommand);
    connect(key_, &QKeySequenceEdit::keySequenceChanged, this, [this](const QKeySequence& key) {
        const auto id = selectedAction();
        const auto refusal = id ? shortcuts_.refusal(*id, key) : QString();
        problem_->setText(refusal);
        assign_->setEnabled(id && refusal.isEmpty());
    });
    connect(assign_, &QPushButton::clicked, this, [this] {
        const auto id = selectedAction();
        if (id && shortcuts_.set(*id, key_->keySequence())) {
            fillTable();
        }
    });
    connect(reset_, &QPushButton::clicked, this, &ShortcutsDialog::resetShortcut);
    connect(resetAll, &QPushButton::clicked, this, [this] {
        shortcuts_.resetAll();
        fillTable();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    fillTable();
    table_->selectRow(0);
    searchField_->setFocus();
    resize(fontMetrics().averageCharWidth() * 130, fontMetrics().height() * 34);
}

void ShortcutsDialog::fillTable()
{
    const auto entries = actionTable();
    table_->setRowCount(static_cast<int>(entries.size()));
    int row = 0;
    for (const auto& entry : entries) {
        const auto* action = context_.actions[entry.id];
        auto* command = new QTableWidgetItem(action->icon(), action->iconText());
        command->setData(Qt::UserRole, static_cast<int>(entry.id));
        auto* keys = new QTableWidgetItem(keysText(*action));
        auto keysFont = keys->font();
        keysFont.setBold(!shortcuts_.hasDefaultKeys(entry.id));
        keys->setFont(keysFont);
        table_->setItem(row, 0, command);
        table_->setItem(row, 1, keys);
        table_->setItem(row, 2, new QTableWidgetItem(action->statusTip()));
        ++row;
    }
    showCommand();
}

std::optional<ActionId> ShortcutsDialog::selectedAction() const
{
    const auto* item = table_->item(table_->currentRow(), 0);
    if (item == nullptr) {
        return {};
    }
    return static_cast<ActionId>(item->data(Qt::UserRole).toInt());
}

void ShortcutsDialog::showCommand()
{
    const auto id = selectedAction();
    key_->setEnabled(id.has_value());
    assign_->setEnabled(false);
    reset_->setEnabled(id && !shortcuts_.hasDefaultKeys(*id));
    const QSignalBlocker blocker(key_);
    key_->setKeySequence(id ? context_.actions[*id]->shortcut() : QKeySequence());
    problem_->clear();
}

void ShortcutsDialog::search(const QString& text)
{
    int firstMatch = -1;
    for (int row = 0; row < table_->rowCount(); ++row) {
        bool isMatch = false;
        for (int column = 0; column < table_->columnCount(); ++column) {
            isMatch =
                isMatch || table_->item(row, column)->text().contains(text, Qt::CaseInsensitive);
        }
        table_->setRowHidden(row, !isMatch);
        firstMatch = isMatch && firstMatch < 0 ? row : firstMatch;
    }
    table_->setCurrentCell(firstMatch, 0);
}

void ShortcutsDialog::resetShortcut()
{
    const auto id = selectedAction();
    if (!id) {
        return;
    }
    if (!shortcuts_.reset(*id)) {
        problem_->setText(tr("Another command has that key now. Change it there first."));
        return;
    }
    fillTable();
}

}  // namespace restante::gui
