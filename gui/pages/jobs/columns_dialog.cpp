#include "gui/pages/jobs/columns_dialog.h"

#include "gui/base/preferences.h"
#include "gui/theme/icons.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QVBoxLayout>

namespace restante::gui {

ColumnsDialog::ColumnsDialog(JobsTable& table, Preferences& preferences, QWidget* parent)
    : QDialog(parent),
      table_(table),
      list_(new QListWidget(this)),
      up_(new QPushButton(icon(QStringLiteral("go-up")), tr("Move &Up"), this)),
      down_(new QPushButton(icon(QStringLiteral("go-down")), tr("Move &Down"), this))
{
    setObjectName(QStringLiteral("columnsDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Columns"));
    auto* label = new QLabel(tr("&Columns that are shown, from left to right:"), this);
    label->setBuddy(list_);
    list_->setAccessibleName(tr("Columns"));
    auto* box = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* reset = box->addButton(tr("&Reset"), QDialogButtonBox::ResetRole);
    auto* side = new QVBoxLayout;
    side->addWidget(up_);
    side->addWidget(down_);
    side->addStretch(1);
    auto* row = new QHBoxLayout;
    row->addWidget(list_, 1);
    row->addLayout(side);
    auto* column = new QVBoxLayout(this);
    column->addWidget(label);
    column->addLayout(row, 1);
    column->addWidget(box);
    fill();
    list_->setCurrentRow(0);
    const auto updateMoveButtons = [this] {
        up_->setEnabled(list_->currentRow() > 0);
        down_->setEnabled(list_->currentRow() >= 0 && list_->currentRow() < list_->count() - 1);
    };
    updateMoveButtons();
    connect(list_, &QListWidget::currentRowChanged, this, updateMoveButtons);
    connect(list_, &QListWidget::itemChanged, this, [this](const QListWidgetItem* item) {
        if (!filling_) {
            table_.setColumnShown(static_cast<JobColumn>(item->data(Qt::UserRole).toInt()),
                                  item->checkState() == Qt::Checked);
        }
    });
    connect(up_, &QPushButton::clicked, this, [this] { moveColumn(-1); });
    connect(down_, &QPushButton::clicked, this, [this] { moveColumn(1); });
    connect(reset, &QPushButton::clicked, this, [this, &preferences] {
        table_.resetToDefaults(preferences);
        fill();
    });
    connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
    resize(fontMetrics().horizontalAdvance(u'0') * 56, fontMetrics().height() * 26);
}

void ColumnsDialog::fill()
{
    const QScopedValueRollback quiet(filling_, true);
    const auto at = list_->currentRow();
    list_->clear();
    const auto* header = table_.horizontalHeader();
    for (int visualIndex = 1; visualIndex < kJobColumns; ++visualIndex) {
        const auto column = static_cast<JobColumn>(header->logicalIndex(visualIndex));
        auto* item = new QListWidgetItem(titleOf(column), list_);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setCheckState(table_.isColumnChosen(column) ? Qt::Checked : Qt::Unchecked);
        item->setData(Qt::UserRole, static_cast<int>(column));
    }
    list_->setCurrentRow(at);
}

void ColumnsDialog::moveColumn(int by)
{
    const auto* item = list_->currentItem();
    const auto row = list_->currentRow();
    if (item == nullptr || row + by < 0 || row + by >= list_->count()) {
        return;
    }
    // The check boxes' column keeps the first place.
    table_.moveColumn(static_cast<JobColumn>(item->data(Qt::UserRole).toInt()), row + by + 1);
    fill();
    list_->setCurrentRow(row + by);
}

}  // namespace restante::gui
