#include "gui/pages/detail/attempts_tab.h"

#include "gui/pages/detail/detail_table.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/pages/detail/job_watch.h"
#include "gui/pages/detail/ladder_view.h"
#include "gui/pages/detail/steps_model.h"
#include "gui/theme/saved_layout.h"
#include "gui/theme/time_text.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace restante::gui {

namespace {

/// What goes to whoever is asked.
QString requestOf(const std::optional<JobView>& view)
{
    switch (view ? view->job.channel : Channel::Sip) {
    case Channel::Sip: return QStringLiteral("MESSAGE");
    case Channel::Webhook: return QStringLiteral("POST");
    case Channel::Sms: return QStringLiteral("SMS");
    case Channel::Pull: break;
    }
    return AttemptsTab::tr("Given out");
}

}  // namespace

AttemptsTab::AttemptsTab(Context context, JobWatch& watch, QWidget* parent)
    : DetailTab(context, watch, parent),
      note_(wrappedLabel(this, "attemptsNote")),
      table_(new DetailTable(this)),
      steps_(new StepsModel(this)),
      ladder_(new LadderView(this)),
      comparisonTable_(new DetailTable(this)),
      comparison_(new StepComparisonModel(this))
{
    note_->setMargin(6);
    firstFocus_ = table_;
    table_->setObjectName(QStringLiteral("attemptsTable"));
    table_->setModel(steps_);
    for (const auto column :
         {StepsModel::Attempt, StepsModel::Sent, StepsModel::Answer, StepsModel::Took}) {
        table_->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    }
    ladder_->setObjectName(QStringLiteral("ladder"));
    comparisonTable_->setObjectName(QStringLiteral("attemptsCompared"));
    comparisonTable_->setModel(comparison_);
    comparisonTable_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    comparisonTable_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    for (const auto column : {2, 3}) {
        comparisonTable_->horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
    }
    comparisonTable_->hide();

    auto* words = new QSplitter(Qt::Vertical, this);
    words->setObjectName(QStringLiteral("attemptsWords"));
    words->addWidget(table_);
    words->addWidget(comparisonTable_);
    words->setChildrenCollapsible(false);
    words->setSizes({400, 600});
    auto* both = new SideBySide(this);
    both->setObjectName(QStringLiteral("attemptsSides"));
    both->addWidget(words);
    both->addWidget(ladder_);
    both->setStretchFactor(0, 1);
    both->setStretchFactor(1, 1);
    both->setSizes({560, 440});
    both->setChildrenCollapsible(false);
    rememberSplitter(*words, context.preferences, QStringLiteral("attempts/words"));
    rememberSplitter(*both, context.preferences, QStringLiteral("attempts/sides"));
    auto* column = tightColumn(this);
    column->addWidget(note_);
    column->addWidget(both, 1);

    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this] { compare(); });
    connect(ladder_, &LadderView::stepClicked, this, &AttemptsTab::select);
    retranslate();
}

void AttemptsTab::retranslate()
{
    table_->setAccessibleName(tr("Attempts to deliver the job"));
    ladder_->setAccessibleName(tr("The attempts as a ladder; the table has the same in words"));
    comparisonTable_->setAccessibleName(tr("Two attempts compared"));
}

void AttemptsTab::forget()
{
    steps_->setContent({}, {});
    ladder_->setContent({}, {}, {});
    compare();
}

void AttemptsTab::showAgain()
{
    const TimeText times(context_.preferences);
    const auto moment = [times](TimePoint at) { return times.exact(at).section(u' ', 0, -2); };
    const auto clock = [times](TimePoint at) { return times.exact(at).section(u' ', 1, -2); };
    const auto& history = watch_.history();
    auto steps = deliveriesOf(history.value_or(std::vector<HistoryRow>{}), watch_.view());
    ladder_->setContent(steps, requestOf(watch_.view()), clock);
    table_->keepingPlace([&] { steps_->setContent(std::move(steps), moment); });
    note_->setText(noteText());
    compare();
}

QString AttemptsTab::noteText() const
{
    const auto& problem = watch_.historyProblem();
    if (!problem.isEmpty()) {
        return tr("The attempts are in the history, and there is none: %1").arg(problem);
    }
    if (!watch_.history()) {
        return tr("Asking the journal…");
    }
    const int count = steps_->rowCount();
    if (count == 0) {
        return tr("Nobody has tried to deliver this job yet.");
    }
    return count == 1 ? tr("One request")
                      : tr("%n request(s). Select two to compare them.", "", count);
}

void AttemptsTab::select(int step, Qt::KeyboardModifiers modifiers)
{
    const auto index = steps_->index(step, 0);
    const bool adds = (modifiers & (Qt::ControlModifier | Qt::ShiftModifier)) != 0;
    table_->selectionModel()->setCurrentIndex(
        index, (adds ? QItemSelectionModel::Toggle : QItemSelectionModel::ClearAndSelect) |
                   QItemSelectionModel::Rows);
    table_->setFocus();
}

void AttemptsTab::compare()
{
    std::vector<int> rows;
    for (const auto& index : table_->selectionModel()->selectedRows()) {
        rows.push_back(index.row());
    }
    std::sort(rows.begin(), rows.end());
    ladder_->mark(rows);
    const bool two = rows.size() == 2;
    comparisonTable_->setVisible(two);
    if (!two) {
        comparison_->clear();
        return;
    }
    const TimeText times(context_.preferences);
    comparison_->setContent(steps_->row(rows[0]), steps_->row(rows[1]),
                            [times](TimePoint at) { return times.exact(at); });
}

}  // namespace restante::gui
