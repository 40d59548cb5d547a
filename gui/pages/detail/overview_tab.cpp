#include "gui/pages/detail/overview_tab.h"

#include "core/job/job_filter.h"
#include "core/reminder/reminder_plan.h"
#include "core/reminder/series.h"
#include "gui/operations/series_text.h"
#include "gui/pages/detail/detail_table.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/pages/detail/job_watch.h"
#include "gui/pages/detail/message_view.h"
#include "gui/pages/detail/next_attempts.h"
#include "gui/theme/saved_layout.h"
#include "gui/theme/tab_order.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QApplication>
#include <QClipboard>
#include <QFont>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QVBoxLayout>

#include <algorithm>

namespace restante::gui {

namespace {

/// The translation context of these texts.
struct JobFields {
    Q_DECLARE_TR_FUNCTIONS(JobFields)
};

QString termOf(std::string_view field, const std::string& value)
{
    return value.empty() ? QString() : textOf(filterFor(field, value));
}

QString dueLabel(JobState state)
{
    switch (state) {
    case JobState::Scheduled: return JobFields::tr("Due");
    case JobState::Ready: return JobFields::tr("Ready since");
    case JobState::Leased: return JobFields::tr("Lease ends");
    case JobState::Held: return JobFields::tr("Next attempt");
    case JobState::Dead: return JobFields::tr("Died");
    case JobState::Trashed: return JobFields::tr("Trashed");
    case JobState::Done: return JobFields::tr("Finished");
    }
    return {};
}

class FieldList {
public:
    explicit FieldList(std::function<QString(TimePoint)> formatTime)
        : formatTime_(std::move(formatTime))
    {
    }

    void addStateFields(const JobView& view)
    {
        const auto stateStyle = Theme::style(view.state);
        fields.push_back({JobFields::tr("State"), Theme::stateName(view.state),
                          textOf("state:" + std::string(name(view.state))), stateStyle.icon,
                          stateStyle.foreground});
        const bool waitsForRegistration = view.state == JobState::Held &&
                                          !view.heldOutsideMailbox && view.due == TimePoint::max();
        add(dueLabel(view.heldOutsideMailbox ? JobState::Scheduled : view.state),
            waitsForRegistration ? JobFields::tr("when the recipient registers")
                                 : formatTime_(view.due));
        add(JobFields::tr("Last error"), textOf(view.lastError),
            termOf("err", view.lastError.substr(0, 128)));
        add(JobFields::tr("Attempts"), attemptsText(view));
        if (view.devices > 0) {
            add(JobFields::tr("Delivered to"),
                JobFields::tr("%n device(s)", "", static_cast<int>(view.devices)));
        }
    }

    /// The fields of a reminder. Channel, retries and content type are those of its occurrences,
    /// not of `job`, which stores the series.
    void addSeries(const Job& job, const reminder::Series& series, const QString& rule)
    {
        add(JobFields::tr("Recurs"), rule);
        add(JobFields::tr("Recipient"), textOf(job.recipient), termOf("to", job.recipient));
        add(JobFields::tr("Channel"), Theme::channelName(series.job.channel));
        add(JobFields::tr("Sender"), textOf(job.sender), termOf("from", job.sender));
        add(JobFields::tr("Key"), textOf(job.bizKey), termOf("biz_key", job.bizKey));
        add(JobFields::tr("Id"), textOf(job.id), termOf("id", job.id));
        add(JobFields::tr("Created"), formatTime_(job.created));
        add(JobFields::tr("Retries"), series.job.retry.empty()
                                          ? JobFields::tr("standard of the channel")
                                          : textOf(series.job.retry.toString()));
        add(JobFields::tr("Content type"), textOf(series.job.contentType));
    }

    void addJob(const Job& job)
    {
        const bool sip = job.channel == Channel::Sip;
        add(JobFields::tr("Id"), textOf(job.id), termOf("id", job.id));
        add(JobFields::tr("Topic"), Theme::topicName(job.topic), termOf("topic", job.topic));
        add(JobFields::tr("Channel"), Theme::channelName(job.channel),
            textOf("channel:" + std::string(name(job.channel))));
        add(JobFields::tr("Recipient"), textOf(job.recipient), termOf("to", job.recipient));
        add(JobFields::tr("Sender"), textOf(job.sender), termOf("from", job.sender));
        add(sip ? JobFields::tr("Call-ID") : JobFields::tr("Key"), textOf(job.bizKey),
            termOf(sip ? "callid" : "biz_key", job.bizKey));
        add(JobFields::tr("Priority"), QLocale().toString(job.priority),
            textOf("priority=" + std::to_string(job.priority)));
        add(JobFields::tr("Created"), formatTime_(job.created));
        add(JobFields::tr("Expires"),
            job.expires ? formatTime_(*job.expires) : JobFields::tr("never"));
        add(JobFields::tr("Retries"), job.retry.empty() ? JobFields::tr("standard of the channel")
                                                        : textOf(job.retry.toString()));
        add(JobFields::tr("Lease"), TimeText::duration(job.ttr));
        add(JobFields::tr("Recurs"), textOf(job.recurrence));
        add(JobFields::tr("Content type"), textOf(job.contentType),
            termOf("type", job.contentType));
        add(JobFields::tr("Size"), sizeText(job.body.size()));
        for (const auto& [header, value] : job.headers) {
            add(textOf(header) + u':', textOf(value));
        }
    }

    std::vector<JobField> fields;

private:
    /// Leaves out an empty value.
    void add(const QString& name, const QString& value, const QString& term = {})
    {
        if (!value.isEmpty()) {
            fields.push_back({name, value, term, {}, {}});
        }
    }

    std::function<QString(TimePoint)> formatTime_;
};

/// All fields of a job but its body, of a series those of its reminder, the most important ones
/// first. `rule` says in words how often a series recurs.
std::vector<JobField> fieldsOf(const JobView& view,
                               const Result<reminder::Series>& series,
                               const QString& rule,
                               const std::function<QString(TimePoint)>& formatTime)
{
    FieldList list(formatTime);
    list.addStateFields(view);
    series ? list.addSeries(view.job, *series, rule) : list.addJob(view.job);
    return std::move(list.fields);
}

}  // namespace

const std::vector<TableColumn>& JobFieldsModel::columns() const
{
    static const std::vector<TableColumn> kColumns{{QT_TR_NOOP("Field")}, {QT_TR_NOOP("Value")}};
    return kColumns;
}

QString JobFieldsModel::text(const JobField& field, int column) const
{
    return column == 0 ? field.name : field.value;
}

QVariant JobFieldsModel::attribute(const JobField& field, int column, int role) const
{
    if (column == 0) {
        return role == Qt::AccessibleTextRole ? QVariant(field.name)
               : role == Qt::ForegroundRole
                   ? QVariant(QApplication::palette().color(QPalette::PlaceholderText))
                   : QVariant();
    }
    const bool emphasised = field.foreground.isValid();
    switch (role) {
    case Qt::AccessibleTextRole: return field.name + u' ' + field.value;
    case Qt::FontRole: {
        QFont bold;
        bold.setBold(true);
        return emphasised ? QVariant(bold) : QVariant();
    }
    default: return emphasised ? iconOrForeground(field.icon, field.foreground, role) : QVariant();
    }
}

OverviewTab::OverviewTab(Context context, JobWatch& watch, QWidget* parent)
    : DetailTab(context, watch, parent),
      fieldTable_(makeWidget<DetailTable>("jobFields", this)),
      fields_(new JobFieldsModel(this))
{
    fieldTable_->setModel(fields_);
    fieldTable_->horizontalHeader()->hide();
    connect(fieldTable_, &QWidget::customContextMenuRequested, this, &OverviewTab::showMenu);
    connect(fieldTable_, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        const auto& term = fields_->row(index.row()).term;
        if (!term.isEmpty()) {
            emit filterRequested(term);
        }
    });

    message_ = makeWidget<MessageView>("messageView", this);
    auto* splitter = makeWidget<AdaptiveSplitter>("overviewSplitter", this);
    splitter->addWidget(fieldTable_);
    splitter->addWidget(buildAttempts());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setSizes({600, 400});
    rememberSplitter(*splitter, context.preferences, QStringLiteral("overview/sides"));
    auto* column = tightVBoxLayout(this);
    column->addWidget(message_);
    column->addWidget(splitter, 1);
    tabInOrder({message_, fieldTable_, attemptTable_});
    firstFocus_ = fieldTable_;
    retranslate();
}

QWidget* OverviewTab::buildAttempts()
{
    auto* attemptsPane = new QWidget(this);
    auto* column = new QVBoxLayout(attemptsPane);
    attemptsTitle_ = plainLabel(attemptsPane);
    auto bold = attemptsTitle_->font();
    bold.setBold(true);
    attemptsTitle_->setFont(bold);
    attempts_ = new NextAttemptsModel(this);
    attemptTable_ = makeWidget<DetailTable>("nextAttempts", attemptsPane);
    attemptTable_->setModel(attempts_);
    attemptTable_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    attemptTable_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    attemptsTitle_->setBuddy(attemptTable_);
    attemptsNote_ = wrappedLabel(attemptsPane, "nextAttemptsNote");
    column->addWidget(attemptsTitle_);
    column->addWidget(attemptTable_, 1);
    column->addWidget(attemptsNote_);
    column->addStretch(0);
    return attemptsPane;
}

void OverviewTab::retranslate()
{
    message_->retranslate();
    fieldTable_->setAccessibleName(tr("Fields of the job"));
    attemptTable_->setAccessibleName(tr("Next attempts"));
    attemptsTitle_->setText(tr("Next attempts"));
    refresh();
}

void OverviewTab::reset()
{
    fieldTable_->clearSelection();
    fieldTable_->scrollToTop();
}

void OverviewTab::refresh()
{
    const auto& view = watch_.view();
    const auto now = watch_.now();
    const auto formatTime = [now, &preferences = context_.preferences](TimePoint at) {
        return absoluteAndRelative(at, now, preferences);
    };
    const auto series = view && view->job.topic == reminder::kSeriesTopic
                            ? reminder::Series::parse(view->job.body)
                            : Result<reminder::Series>(failure(ErrorCode::NotFound, "no series"));
    if (view) {
        message_->setJob(series ? series->job : view->job);
    } else {
        message_->clear();
    }
    const auto rule = series ? SeriesText(context_.preferences).ruleAndZone(*series) : QString();
    auto fields = view ? fieldsOf(*view, series, rule, formatTime) : std::vector<JobField>{};
    // This runs each second; the table is filled only when a field has changed.
    if (fields != shownFields_) {
        shownFields_ = fields;
        fieldTable_->keepSelectionAndScroll([&] { fields_->setRows(std::move(fields)); });
        // A long header name must not squeeze the column of values.
        fieldTable_->resizeColumnToContents(0);
        fieldTable_->setColumnWidth(
            0, std::min(fieldTable_->columnWidth(0), fontMetrics().averageCharWidth() * 24));
    }
    // A series is not attempted: each of its occurrences has attempts of its own.
    const bool showsAttempts = view && watch_.phase() != JobWatch::Phase::Gone && !series;
    const auto& outlook = watch_.outlook();
    attempts_->setContent(showsAttempts && outlook ? outlook->forecast : AttemptForecast{},
                          formatTime);
    attemptTable_->setVisible(attempts_->rowCount() > 0);
    attemptsTitle_->setVisible(showsAttempts);
    attemptsNote_->setVisible(showsAttempts);
    attemptsNote_->setText(outlook ? attempts_->note() : QString());
    attemptsNote_->setToolTip(outlook ? attempts_->scheduleHint() : QString());
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
                                   [this, field] { emit filterRequested(field.term); });
    auto* exclude = menu->addAction(tr("&Exclude This"), this,
                                    [this, field] { emit filterRequested(u'-' + field.term); });
    filter->setEnabled(!field.term.isEmpty());
    exclude->setEnabled(!field.term.isEmpty());
    menu->popup(fieldTable_->viewport()->mapToGlobal(at));
}

}  // namespace restante::gui
