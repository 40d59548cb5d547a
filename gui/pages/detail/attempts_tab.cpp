#include "gui/pages/detail/attempts_tab.h"

#include "gui/pages/detail/detail_text.h"
#include "gui/pages/detail/job_watch.h"
#include "gui/pages/detail/sequence_diagram.h"
#include "gui/theme/saved_layout.h"
#include "gui/theme/time_text.h"

#include <QFont>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace restante::gui {

namespace {

/// The name of the request that the channel sends; of channel pull, which sends none, that the job
/// was given out.
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

QString answerText(const DeliveryStep& step)
{
    if (step.outcome == DeliveryStep::Outcome::NoAnswer && step.status != 0) {
        return QCoreApplication::translate("StepsModel", "%1 (no answer)").arg(step.answer);
    }
    return step.answer.isEmpty() ? styleOf(step.outcome).word : step.answer;
}

QString tookText(const DeliveryStep& step)
{
    return step.took ? TimeText::duration(*step.took) : QString();
}

}  // namespace

const std::vector<TableColumn>& StepsModel::columns() const
{
    static const std::vector<TableColumn> kColumns{{QT_TR_NOOP("Attempt")},
                                                   {QT_TR_NOOP("Sent")},
                                                   {QT_TR_NOOP("Answer")},
                                                   {QT_TR_NOOP("After")},
                                                   {QT_TR_NOOP("To")}};
    return kColumns;
}

QString StepsModel::text(const DeliveryStep& step, int column) const
{
    switch (column) {
    case Attempt: return QLocale().toString(step.attempt);
    case Sent: return formatTime_(step.sent);
    case Answer: return answerText(step);
    case Took: return tookText(step);
    default: return step.via.isEmpty() ? step.target : tr("%1 via %2").arg(step.target, step.via);
    }
}

QVariant StepsModel::attribute(const DeliveryStep& step, int column, int role) const
{
    if (role == Qt::TextAlignmentRole && (column == Attempt || column == Took)) {
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    }
    const auto style = styleOf(step.outcome);
    return column == Answer ? iconOrForeground(style.icon, style.foreground, role) : QVariant();
}

void StepComparisonModel::setContent(const DeliveryStep& left,
                                     const DeliveryStep& right,
                                     const std::function<QString(TimePoint)>& formatTime)
{
    setRows({
        {tr("Attempt"), QLocale().toString(left.attempt), QLocale().toString(right.attempt)},
        {tr("Sent"), formatTime(left.sent), formatTime(right.sent)},
        {tr("To"), left.target, right.target},
        {tr("Via"), left.via, right.via},
        {tr("Outcome"), styleOf(left.outcome).word, styleOf(right.outcome).word},
        {tr("Answer"), left.answer, right.answer},
        {tr("Took"), tookText(left), tookText(right)},
        {tr("Worker"), left.worker, right.worker},
        {tr("Then"), left.endedBy, right.endedBy},
    });
}

const std::vector<TableColumn>& StepComparisonModel::columns() const
{
    static const std::vector<TableColumn> kColumns{
        {QT_TR_NOOP("Field")}, {""}, {QT_TR_NOOP("Earlier")}, {QT_TR_NOOP("Later")}};
    return kColumns;
}

QString StepComparisonModel::text(const ComparedField& field, int column) const
{
    switch (column) {
    case 0: return field.name;
    case 1: return field.left == field.right ? QStringLiteral("=") : QStringLiteral("≠");
    case 2: return field.left;
    default: return field.right;
    }
}

QVariant StepComparisonModel::attribute(const ComparedField& field, int, int role) const
{
    if (role != Qt::FontRole || field.left == field.right) {
        return {};
    }
    QFont bold;
    bold.setBold(true);
    return bold;
}

AttemptsTab::AttemptsTab(Context context, JobWatch& watch, QWidget* parent)
    : DetailTab(context, watch, parent),
      statusLabel_(wrappedLabel(this, "attemptsStatus")),
      table_(makeWidget<DetailTable>("attemptsTable", this)),
      steps_(new StepsModel(this)),
      diagram_(makeWidget<SequenceDiagram>("sequenceDiagram", this)),
      comparisonTable_(makeWidget<DetailTable>("attemptsCompared", this)),
      comparison_(new StepComparisonModel(this))
{
    statusLabel_->setMargin(6);
    firstFocus_ = table_;
    table_->setModel(steps_);
    for (const auto column :
         {StepsModel::Attempt, StepsModel::Sent, StepsModel::Answer, StepsModel::Took}) {
        table_->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    }
    comparisonTable_->setModel(comparison_);
    comparisonTable_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    comparisonTable_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    for (const auto column : {2, 3}) {
        comparisonTable_->horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
    }
    comparisonTable_->hide();

    auto* tables = makeWidget<QSplitter>("attemptsWords", Qt::Vertical, this);
    tables->addWidget(table_);
    tables->addWidget(comparisonTable_);
    tables->setChildrenCollapsible(false);
    tables->setSizes({400, 600});
    auto* splitter = makeWidget<AdaptiveSplitter>("attemptsSides", this);
    splitter->addWidget(tables);
    splitter->addWidget(diagram_);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({560, 440});
    rememberSplitter(*tables, context.preferences, QStringLiteral("attempts/words"));
    rememberSplitter(*splitter, context.preferences, QStringLiteral("attempts/sides"));
    auto* column = tightVBoxLayout(this);
    column->addWidget(statusLabel_);
    column->addWidget(splitter, 1);

    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this] { updateComparison(); });
    connect(diagram_, &SequenceDiagram::stepClicked, this, &AttemptsTab::selectStep);
    retranslate();
}

void AttemptsTab::retranslate()
{
    table_->setAccessibleName(tr("Attempts to deliver the job"));
    diagram_->setAccessibleName(
        tr("The attempts as a sequence diagram; the table has the same in words"));
    comparisonTable_->setAccessibleName(tr("Two attempts compared"));
}

void AttemptsTab::reset()
{
    steps_->setContent({}, {});
    diagram_->setContent({}, {}, {});
    updateComparison();
}

void AttemptsTab::refresh()
{
    const TimeText times(context_.preferences);
    const auto formatTime = [times](TimePoint at) { return times.exact(at).section(u' ', 0, -2); };
    const auto formatClock = [times](TimePoint at) { return times.exact(at).section(u' ', 1, -2); };
    const auto& history = watch_.history();
    auto log = deliveryLogOf(history.value_or(std::vector<HistoryRow>{}), watch_.view());
    auto& steps = log.steps;
    unsent_ = std::move(log.unsent);
    unknownAttempts_ = log.unknownAttempts;
    diagram_->setContent(steps, requestOf(watch_.view()), formatClock);
    table_->keepSelectionAndScroll([&] { steps_->setContent(std::move(steps), formatTime); });
    statusLabel_->setText(statusText());
    updateComparison();
}

QString AttemptsTab::statusText() const
{
    const auto& problem = watch_.historyProblem();
    if (!problem.isEmpty()) {
        return tr("The attempts are in the history, and there is none: %1").arg(problem);
    }
    if (!watch_.history()) {
        return tr("Asking the journal…");
    }
    const int count = steps_->rowCount();
    QStringList sentences;
    if (unknownAttempts_ > 0) {
        sentences.append(
            tr("What was sent in %Ln attempt(s) is not known, because no journal keeps it.", "",
               static_cast<int>(unknownAttempts_)));
    } else if (count > 0) {
        const auto& view = watch_.view();
        sentences.append(view && view->job.channel != Channel::Pull
                             ? tr("Requests sent: %1. Attempts used up: %2.")
                                   .arg(QLocale().toString(count), attemptsText(*view))
                             : tr("%Ln lease(s).", "", count));
    }
    if (!unsent_.empty()) {
        sentences.append(unsentText());
    } else if (count == 0 && unknownAttempts_ == 0) {
        sentences.append(tr("Nobody has tried to deliver this job yet."));
    }
    if (count > 1) {
        sentences.append(tr("Select two to compare them."));
    }
    return sentences.join(u' ');
}

/// Why claims sent nothing; the reason of the last one is given.
QString AttemptsTab::unsentText() const
{
    const TimeText times(context_.preferences);
    const auto& last = unsent_.back();
    const auto when = times.brief(last.at, watch_.now());
    const int count = static_cast<int>(unsent_.size());
    const bool hadNoDevice = std::all_of(unsent_.begin(), unsent_.end(), [](const auto& claim) {
        return claim.why == QLatin1String("no device is registered");
    });
    if (hadNoDevice) {
        return tr("Nothing was sent %Ln time(s), because no device was registered; the last time "
                  "at %1.",
                  "", count)
            .arg(when);
    }
    return last.why.isEmpty()
               ? tr("It was taken up %Ln time(s) without anything being sent; the last time at "
                    "%1.",
                    "", count)
                     .arg(when)
               : tr("It was taken up %Ln time(s) without anything being sent; the last time at "
                    "%1: %2",
                    "", count)
                     .arg(when, last.why);
}

void AttemptsTab::selectStep(int step, Qt::KeyboardModifiers modifiers)
{
    const auto index = steps_->index(step, 0);
    const bool adds = (modifiers & (Qt::ControlModifier | Qt::ShiftModifier)) != 0;
    table_->selectionModel()->setCurrentIndex(
        index, (adds ? QItemSelectionModel::Toggle : QItemSelectionModel::ClearAndSelect) |
                   QItemSelectionModel::Rows);
    table_->setFocus();
}

void AttemptsTab::updateComparison()
{
    std::vector<int> rows;
    for (const auto& index : table_->selectionModel()->selectedRows()) {
        rows.push_back(index.row());
    }
    std::sort(rows.begin(), rows.end());
    diagram_->highlight(rows);
    const bool twoSelected = rows.size() == 2;
    comparisonTable_->setVisible(twoSelected);
    if (!twoSelected) {
        comparison_->clear();
        return;
    }
    const TimeText times(context_.preferences);
    comparison_->setContent(steps_->row(rows[0]), steps_->row(rows[1]),
                            [times](TimePoint at) { return times.exact(at); });
}

}  // namespace restante::gui
