#include "gui/pages/detail/overview_tab.h"

#include "gui/pages/detail/detail_table.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/pages/detail/job_fields_model.h"
#include "gui/pages/detail/job_watch.h"
#include "gui/pages/detail/next_attempts.h"
#include "gui/theme/icons.h"
#include "gui/theme/saved_layout.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QVBoxLayout>

#include <algorithm>

namespace restante::gui {

namespace {

/// More than anybody reads, and than the standard schedules have.
constexpr std::size_t kAttemptsShown = 10;

}  // namespace

OverviewTab::OverviewTab(Context context, JobWatch& watch, QWidget* parent)
    : DetailTab(context, watch, parent),
      fieldTable_(new DetailTable(this)),
      fields_(new JobFieldsModel(this))
{
    fieldTable_->setObjectName(QStringLiteral("jobFields"));
    fieldTable_->setModel(fields_);
    fieldTable_->horizontalHeader()->hide();
    connect(fieldTable_, &QWidget::customContextMenuRequested, this, &OverviewTab::showMenu);
    connect(fieldTable_, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        const auto& term = fields_->row(index.row()).term;
        if (!term.isEmpty()) {
            emit filterWanted(term);
        }
    });

    auto* both = new SideBySide(this);
    both->setObjectName(QStringLiteral("overviewSplitter"));
    both->addWidget(fieldTable_);
    both->addWidget(buildAttempts());
    both->setStretchFactor(0, 3);
    both->setStretchFactor(1, 2);
    both->setSizes({600, 400});
    both->setChildrenCollapsible(false);
    rememberSplitter(*both, context.preferences, QStringLiteral("overview/sides"));
    tightColumn(this)->addWidget(both);
    firstFocus_ = fieldTable_;
    retranslate();
}

QWidget* OverviewTab::buildAttempts()
{
    auto* side = new QWidget(this);
    auto* column = new QVBoxLayout(side);
    attemptsTitle_ = new QLabel(side);
    attemptsTitle_->setTextFormat(Qt::PlainText);
    auto bold = attemptsTitle_->font();
    bold.setBold(true);
    attemptsTitle_->setFont(bold);
    attempts_ = new NextAttemptsModel(this);
    attemptTable_ = new DetailTable(side);
    attemptTable_->setObjectName(QStringLiteral("nextAttempts"));
    attemptTable_->setModel(attempts_);
    attemptTable_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    attemptTable_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    attemptsTitle_->setBuddy(attemptTable_);
    attemptsNote_ = wrappedLabel(side, "nextAttemptsNote");
    column->addWidget(attemptsTitle_);
    column->addWidget(attemptTable_, 1);
    column->addWidget(attemptsNote_);
    column->addStretch(0);
    return side;
}

void OverviewTab::retranslate()
{
    fieldTable_->setAccessibleName(tr("Fields of the job"));
    attemptTable_->setAccessibleName(tr("Next attempts"));
    attemptsTitle_->setText(tr("Next attempts"));
    showAgain();
}

void OverviewTab::forget()
{
    fieldTable_->clearSelection();
    fieldTable_->scrollToTop();
}

void OverviewTab::showAgain()
{
    const auto& view = watch_.view();
    const auto now = watch_.now();
    const auto moment = [now, &preferences = context_.preferences](TimePoint at) {
        return momentOf(at, now, preferences);
    };
    fieldTable_->keepingPlace(
        [&] { fields_->setRows(view ? fieldsOf(*view, moment) : std::vector<JobField>{}); });
    // A header may have any name; the values shall have their room all the same.
    fieldTable_->resizeColumnToContents(0);
    fieldTable_->setColumnWidth(
        0, std::min(fieldTable_->columnWidth(0), fontMetrics().averageCharWidth() * 24));
    const bool alive = view && watch_.phase() != JobWatch::Phase::Gone;
    attempts_->setContent(alive ? previewAttempts(*view, now, kAttemptsShown) : AttemptPreview{},
                          moment);
    attemptTable_->setVisible(attempts_->rowCount() > 0);
    attemptsTitle_->setVisible(alive);
    attemptsNote_->setVisible(alive);
    attemptsNote_->setText(attempts_->note());
}

void OverviewTab::showMenu(const QPoint& at)
{
    const auto index = fieldTable_->indexAt(at);
    if (!index.isValid()) {
        return;
    }
    const auto field = fields_->row(index.row());
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(icon(QStringLiteral("edit-copy")), tr("&Copy Value"), this,
                    [field] { QApplication::clipboard()->setText(field.value); });
    auto* filter = menu->addAction(icon(QStringLiteral("filter")), tr("&Filter by This"), this,
                                   [this, field] { emit filterWanted(field.term); });
    auto* exclude = menu->addAction(tr("&Exclude This"), this,
                                    [this, field] { emit filterWanted(u'-' + field.term); });
    filter->setEnabled(!field.term.isEmpty());
    exclude->setEnabled(!field.term.isEmpty());
    menu->popup(fieldTable_->viewport()->mapToGlobal(at));
}

}  // namespace restante::gui
