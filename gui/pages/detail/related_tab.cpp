#include "gui/pages/detail/related_tab.h"

#include "core/job/job_filter.h"
#include "gui/operations/verb_texts.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/pages/detail/job_watch.h"
#include "gui/theme/flow_layout.h"
#include "gui/theme/tab_order.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QButtonGroup>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace restante::gui {

namespace {

using By = RelatedRequest::By;

constexpr std::array kGroupings{By::Recipient, By::BizKey, By::Sender};
/// One page of the store; the filtered table of jobs shows more.
constexpr std::uint32_t kMaxJobs = 200;

}  // namespace

const std::vector<TableColumn>& RelatedJobsModel::columns() const
{
    static const std::vector<TableColumn> kColumns{
        {QT_TR_NOOP("State")}, {QT_TR_NOOP("Due")},       {QT_TR_NOOP("Id")},
        {QT_TR_NOOP("Topic")}, {QT_TR_NOOP("From")},      {QT_TR_NOOP("To")},
        {QT_TR_NOOP("Tries")}, {QT_TR_NOOP("Last error")}};
    return kColumns;
}

QString RelatedJobsModel::text(const JobRow& row, int column) const
{
    switch (column) {
    case State: return Theme::stateName(row.state);
    case Due: return row.due == TimePoint::max() ? tr("at registration") : formatTime_(row.due);
    case Id: return textOf(row.id);
    case Topic: return row.topic;
    case From: return row.sender;
    case To: return row.recipient;
    case Attempts: return attemptsText(row.countedAttempts, row.maxAttempts);
    default: return row.lastError;
    }
}

QVariant RelatedJobsModel::attribute(const JobRow& row, int column, int role) const
{
    const auto style = Theme::style(row.state);
    return column == State ? iconOrForeground(style.icon, style.foreground, role) : QVariant();
}

RelatedTab::RelatedTab(Context context, JobWatch& watch, QWidget* parent)
    : DetailTab(context, watch, parent),
      group_(new QButtonGroup(this)),
      filterButton_(barButton(this, "filter", Qt::ToolButtonTextBesideIcon, "relatedFilter")),
      statusLabel_(wrappedLabel(this, "relatedStatus")),
      table_(makeWidget<DetailTable>("relatedTable", this)),
      jobs_(new RelatedJobsModel(this))
{
    auto* bar = new FlowLayout;
    bar->setContentsMargins(6, 4, 6, 4);
    for (const auto grouping : kGroupings) {
        auto* button = barButton(this);
        button->setCheckable(true);
        group_->addButton(button, static_cast<int>(grouping));
        buttons_[grouping] = button;
        bar->addWidget(button);
    }
    connect(group_, &QButtonGroup::idClicked, this,
            [this](int id) { showBy(static_cast<By>(id)); });
    connect(filterButton_, &QToolButton::clicked, this,
            [this] { emit filterRequested(filterTerm()); });
    bar->alignRestRight();
    bar->addWidget(filterButton_);
    statusLabel_->setContentsMargins(8, 0, 8, 4);
    table_->setModel(jobs_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    connect(table_, &QAbstractItemView::activated, this,
            [this](const QModelIndex& index) { emit jobRequested(jobs_->row(index.row()).id); });
    firstFocus_ = table_;
    auto* column = tightVBoxLayout(this);
    column->addLayout(bar);
    column->addWidget(statusLabel_);
    column->addWidget(table_, 1);
    tabInOrder({buttons_[By::Recipient], buttons_[By::BizKey], buttons_[By::Sender], filterButton_,
                table_});
    retranslate();
}

void RelatedTab::retranslate()
{
    const auto& view = watch_.view();
    const bool sip = view && view->job.channel == Channel::Sip;
    const bool hook = view && view->job.channel == Channel::Webhook;
    buttons_[By::Recipient]->setText(hook ? tr("Same Target") : tr("Same Recipient"));
    buttons_[By::BizKey]->setText(sip ? tr("Same Call-ID") : tr("Same Key"));
    buttons_[By::Sender]->setText(tr("Same Sender"));
    filterButton_->setText(tr("Show in Table"));
    filterButton_->setToolTip(tr("Filter the table of jobs by this"));
    table_->setAccessibleName(tr("Related jobs"));
}

void RelatedTab::reset()
{
    if (request_ != 0 && watch_.source() != nullptr) {
        watch_.source()->cancel(request_);
    }
    request_ = 0;
    requestedValue_.clear();
    jobs_->setContent({}, {});
}

std::string RelatedTab::sharedValue() const
{
    const auto& view = watch_.view();
    if (!view) {
        return {};
    }
    switch (by_) {
    case By::Recipient: return view->job.recipient;
    case By::BizKey: return view->job.bizKey;
    case By::Sender: return view->job.sender;
    }
    return {};
}

QString RelatedTab::filterTerm() const
{
    const bool sip = watch_.view() && watch_.view()->job.channel == Channel::Sip;
    const auto* field = by_ == By::Recipient ? "to"
                        : by_ == By::Sender  ? "from"
                        : sip                ? "callid"
                                             : "biz_key";
    return textOf(filterFor(field, sharedValue()));
}

void RelatedTab::showBy(By by)
{
    by_ = by;
    reset();
    refresh();
}

void RelatedTab::refresh()
{
    retranslate();
    group_->button(static_cast<int>(by_))->setChecked(true);
    const auto value = sharedValue();
    filterButton_->setEnabled(!value.empty());
    if (value.empty()) {
        jobs_->setContent({}, {});
        statusLabel_->setText(watch_.view() ? tr("This job has none.") : QString());
        return;
    }
    // A transition does not change the values that relate jobs.
    if (value != requestedValue_ && watch_.source() != nullptr) {
        requestJobs();
    }
}

void RelatedTab::requestJobs()
{
    requestedValue_ = sharedValue();
    statusLabel_->setText(tr("Looking…"));
    request_ = watch_.source()->related({by_, requestedValue_, kMaxJobs},
                                        {this, [this](Result<RelatedJobs> answer) {
                                             request_ = 0;
                                             showAnswer(std::move(answer));
                                         }});
}

void RelatedTab::showAnswer(Result<RelatedJobs> answer)
{
    if (!answer) {
        requestedValue_.clear();
        statusLabel_->setText(tr("They could not be read: %1").arg(textOf(answer.error().message)));
        return;
    }
    auto& [rows, isComplete] = *answer;
    const bool isCutOff = rows.size() >= kMaxJobs;
    std::erase_if(rows, [&](const JobRow& row) { return row.id == watch_.id(); });
    const TimeText times(context_.preferences);
    jobs_->setContent(std::move(rows),
                      [times, now = watch_.now()](TimePoint at) { return times.text(at, now); });
    table_->fitColumns(40);
    const int count = jobs_->rowCount();
    const auto note = isComplete ? QString() : tr(" · there may be more: not all were looked at");
    statusLabel_->setText(isCutOff     ? tr("The first %1 jobs").arg(QLocale().toString(count))
                          : count > 0  ? tr("%n other job(s)", "", count) + note
                          : isComplete ? tr("No other job.")
                                       : tr("No other job among those that were looked at; there "
                                            "may be some."));
}

}  // namespace restante::gui
