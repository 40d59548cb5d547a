#include "gui/pages/overview/overview_page.h"

#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/operations/daemon_texts.h"
#include "gui/operations/reason_text.h"
#include "gui/operations/verb_texts.h"
#include "gui/pages/mailboxes/mailbox_text.h"
#include "gui/pages/overview/figure.h"
#include "gui/pages/overview/fullest_mailboxes.h"
#include "gui/pages/overview/topic_list.h"
#include "gui/pages/page_parts.h"
#include "gui/session/store_session.h"
#include "gui/theme/message_bar.h"
#include "gui/theme/severity_mark.h"
#include "gui/theme/time_text.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace restante::gui {

namespace {

/// Around the page, and between its parts.
constexpr int kSpacing = 16;
/// The lateness of the oldest ready job from which the page warns, and from which it is a fault.
constexpr Millis kLateLimit{10'000};
constexpr Millis kVeryLateLimit{600'000};
/// A journal that is less behind usually catches up by itself.
constexpr Millis kJournalBehindLimit{60'000};
/// Scale of the title font, as in EmptyPane.
constexpr double kTitleScale = 1.3;

QFrame* line(QFrame::Shape shape, QWidget* parent)
{
    auto* frame = new QFrame(parent);
    frame->setFrameShape(shape);
    frame->setFrameShadow(QFrame::Plain);
    frame->setForegroundRole(QPalette::Mid);
    return frame;
}

QString joinParts(const QStringList& parts)
{
    return parts.join(QStringLiteral(" · "));
}

}  // namespace

OverviewPage::OverviewPage(Context context, QWidget* parent) : StorePage(context, parent)
{
    setObjectName(QStringLiteral("overviewPage"));
    auto* header = buildHeader();
    auto* body = buildBody();
    setupLayout("overviewNotice", header, body);
    header->setContentsMargins(kSpacing, 12, kSpacing, 12);
    connect(&watch_, &OverviewWatch::changed, this, [this] {
        hasFailed_ = false;
        answeredAt_ = watch_.now();
        showAll();
    });
    connect(&watch_, &OverviewWatch::failed, this, [this](const Error& error) {
        hasFailed_ = true;
        notice_->showMessage(Theme::Severity::Bad, tr("The store could not be asked."),
                             QString::fromStdString(error.message));
        updateDisplay();
    });
    connect(emptyPane_, &EmptyPane::pressed, this, [this](int button) {
        // A copy: the action may replace the pane and its actions.
        const auto action = emptyPaneActions_.at(static_cast<std::size_t>(button));
        action();
    });
    connect(reasons_, &ReasonList::filterRequested, this, &Page::filterRequested);
    connect(reasons_, &ReasonList::retryRequested, this, &OverviewPage::retry);
    connect(fullest_, &FullestMailboxes::personRequested, this, &OverviewPage::personRequested);
    connect(fullest_, &Section::moreRequested, this, &OverviewPage::mailboxesRequested);
    connect(topics_, &TopicList::filterRequested, this, &Page::filterRequested);
    connect(topics_, &Section::moreRequested, this, &OverviewPage::topicsRequested);
    retranslate();
}

QBoxLayout* OverviewPage::buildHeader()
{
    auto* header = new QHBoxLayout;
    header->setSpacing(8);
    title_ = plainLabel(this);
    auto large = title_->font();
    large.setPointSizeF(large.pointSizeF() * kTitleScale);
    large.setWeight(QFont::DemiBold);
    title_->setFont(large);
    daemonsMark_ = new SeverityMark(this);
    daemonsLabel_ = plainLabel(this, "overviewDaemons");
    header->addWidget(title_);
    header->addSpacing(kSpacing);
    header->addWidget(daemonsMark_);
    header->addWidget(daemonsLabel_);
    header->addStretch(1);
    return header;
}

QWidget* OverviewPage::buildBody()
{
    scrollArea_ = new QScrollArea(this);
    scrollArea_->setFrameShape(QFrame::NoFrame);
    scrollArea_->setWidgetResizable(true);
    scrollArea_->setFocusPolicy(Qt::NoFocus);
    auto* body = new QWidget(scrollArea_);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(kSpacing, kSpacing, kSpacing, kSpacing);
    column->setSpacing(kSpacing);
    column->addWidget(buildFigures(body));
    column->addWidget(line(QFrame::HLine, body));
    column->addWidget(buildLists(body));
    column->addWidget(line(QFrame::HLine, body));
    topics_ = new TopicList(body);
    column->addWidget(topics_);
    column->addStretch(1);
    scrollArea_->setWidget(body);
    body->setAutoFillBackground(true);
    body->setBackgroundRole(QPalette::Base);
    return scrollArea_;
}

/// The reasons of dead jobs beside the fullest mailboxes.
QWidget* OverviewPage::buildLists(QWidget* parent)
{
    auto* columns = new QWidget(parent);
    auto* row = new QHBoxLayout(columns);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(kSpacing);
    reasons_ = new ReasonList(columns);
    fullest_ = new FullestMailboxes(columns);
    row->addWidget(reasons_, 1);
    row->addWidget(line(QFrame::VLine, columns));
    row->addWidget(fullest_, 1);
    return columns;
}

QWidget* OverviewPage::buildFigures(QWidget* parent)
{
    auto* figures = new QWidget(parent);
    auto* row = new QHBoxLayout(figures);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(kSpacing);
    deliveredFigure_ = new Figure("overviewDelivered", figures);
    failedFigure_ = new Figure("overviewFailed", figures);
    waitingFigure_ = new Figure("overviewWaiting", figures);
    lateFigure_ = new Figure("overviewLate", figures);
    for (auto* figure : {deliveredFigure_, failedFigure_, waitingFigure_, lateFigure_}) {
        if (row->count() > 0) {
            row->addWidget(line(QFrame::VLine, figures));
        }
        row->addWidget(figure, 1);
    }
    const auto connectFilter = [this](Figure* figure, const char* filter) {
        connect(figure, &Figure::pressed, this,
                [this, filter] { emit filterRequested(QString::fromLatin1(filter)); });
    };
    connectFilter(deliveredFigure_, "state:done");
    connectFilter(failedFigure_, "state:dead");
    connectFilter(waitingFigure_, "state:scheduled,ready,held");
    connectFilter(lateFigure_, "state:ready");
    return figures;
}

QWidget* OverviewPage::firstFocus()
{
    if (isTableShown()) {
        return deliveredFigure_;
    }
    auto* first = emptyPane_->findChild<QPushButton*>(QStringLiteral("emptyPaneButton0"));
    return first == nullptr ? static_cast<QWidget*>(this) : first;
}

/// The begin of the day in the zone of the preferences.
TimePoint OverviewPage::midnight() const
{
    const auto zone = zoneOf(context_.preferences);
    const auto local = QDateTime::fromMSecsSinceEpoch(toEpochMs(watch_.now()), zone);
    return fromEpochMs(local.date().startOfDay(zone).toMSecsSinceEpoch());
}

void OverviewPage::refresh()
{
    if (isReady()) {
        watch_.refresh(midnight());
    }
    updateDisplay();
}

void OverviewPage::refreshNow()
{
    watch_.endPauses();
    refresh();
}

void OverviewPage::clear()
{
    watch_.open(session_);
    hasFailed_ = false;
    showAll();
}

void OverviewPage::setDaemons(const std::optional<std::vector<DaemonView>>& daemons)
{
    daemons_ = daemons;
    showDaemons();
}

std::uint64_t OverviewPage::countIn(std::initializer_list<JobState> states) const
{
    std::uint64_t sum = 0;
    for (const auto state : states) {
        const auto& counts = watch_.sample()->counts.states;
        const auto found = counts.find(state);
        sum += found == counts.end() ? 0 : found->second;
    }
    return sum;
}

void OverviewPage::showAll()
{
    showDaemons();
    if (watch_.sample()) {
        showFigures();
        showLists();
        showNotice();
    }
    updateDisplay();
}

void OverviewPage::showDaemons()
{
    daemonsMark_->setVisible(daemons_.has_value());
    daemonsLabel_->setVisible(daemons_.has_value());
    if (!daemons_) {
        return;
    }
    const auto count = [this](auto&& predicate) {
        return static_cast<int>(std::count_if(daemons_->begin(), daemons_->end(), predicate));
    };
    const auto delivering = count([](const DaemonView& daemon) { return daemon.delivers(); });
    const auto hanging = count([](const DaemonView& daemon) {
        return daemonSeverity(daemon) == Theme::Severity::Warning;
    });
    QStringList parts{delivering == 0 ? tr("Nobody delivers")
                                      : tr("%n daemon(s) deliver", "", delivering)};
    if (hanging > 0) {
        parts.append(tr("%n hang(s) in part", "daemons", hanging));
    }
    daemonsMark_->setSeverity(delivering == 0 ? Theme::Severity::Bad
                              : hanging > 0   ? Theme::Severity::Warning
                                              : Theme::Severity::Good);
    daemonsLabel_->setText(joinParts(parts));
}

Sparkline::Values OverviewPage::waitingOverDay() const
{
    Sparkline::Values values;
    for (const auto& step : watch_.backlog()) {
        double sum = 0;
        for (const auto state : {JobState::Scheduled, JobState::Ready, JobState::Held}) {
            const auto found = step.states.find(state);
            sum += found == step.states.end() ? 0 : found->second;
        }
        values.emplace_back(sum);
    }
    return values;
}

Sparkline::Values OverviewPage::latenessOverDay() const
{
    Sparkline::Values values;
    for (const auto& step : watch_.backlog()) {
        values.emplace_back(step.lateness ? std::optional(double(step.lateness->most.count()))
                                          : std::nullopt);
    }
    return values;
}

void OverviewPage::showFigures()
{
    using enum JobState;
    const auto now = watch_.now();
    const auto total = watch_.moves().totalSince(midnight());
    const auto& count = total ? total->count : DayMoves::Count{};
    const bool isWholeDay = total && total->since <= midnight();
    // "since 12:03" when the time before is unknown.
    const auto since = total ? QDateTime::fromMSecsSinceEpoch(toEpochMs(total->since),
                                                              zoneOf(context_.preferences))
                                   .toString(QStringLiteral("HH:mm"))
                             : QString();
    const auto number = [&](std::uint64_t jobs) {
        return total ? numberText(jobs) : QStringLiteral("–");
    };
    const auto ended = count.delivered + count.failed();
    Figure::Content delivered{isWholeDay || !total ? tr("Delivered today")
                                                   : tr("Delivered since %1").arg(since),
                              number(count.delivered)};
    if (ended > 0) {
        const auto share = 100.0 * double(count.delivered) / double(ended);
        delivered.note = tr("%1 % of what ended").arg(QLocale().toString(share, 'f', 1));
    }
    delivered.tip =
        watch_.pastProblem().isEmpty()
            ? QString()
            : tr("The journal does not tell of the time before: %1").arg(watch_.pastProblem());
    delivered.day = watch_.moves().delivered(now);
    deliveredFigure_->setContent(delivered);

    Figure::Content failed{isWholeDay || !total ? tr("Failed today")
                                                : tr("Failed since %1").arg(since),
                           number(count.failed())};
    if (count.failed() > 0) {
        failed.note = joinParts({tr("%1 given up").arg(numberText(count.givenUp)),
                                 tr("%1 expired").arg(numberText(count.expired))});
    }
    failed.tip = delivered.tip;
    failed.day = watch_.moves().failed(now);
    failedFigure_->setContent(failed);

    Figure::Content waiting{tr("Waiting"), numberText(countIn({Scheduled, Ready, Held}))};
    waiting.note = joinParts({tr("%1 scheduled").arg(numberText(countIn({Scheduled}))),
                              tr("%1 held").arg(numberText(countIn({Held})))});
    waiting.day = waitingOverDay();
    waitingFigure_->setContent(waiting);

    const auto& late = watch_.sample()->lateness;
    const auto maxLateness = late ? late->most : Millis{0};
    Figure::Content lateness{tr("Due and not given out"), numberText(countIn({Ready}))};
    lateness.note = maxLateness < kLateLimit
                        ? tr("on time")
                        : tr("the oldest is %1 late").arg(TimeText::duration(maxLateness));
    lateness.severity = maxLateness < kLateLimit       ? Theme::Severity::Good
                        : maxLateness < kVeryLateLimit ? Theme::Severity::Warning
                                                       : Theme::Severity::Bad;
    lateness.day = latenessOverDay();
    lateFigure_->setContent(lateness);
}

void OverviewPage::showLists()
{
    const auto refusal = session_ == nullptr ? QString() : session_->commands().refusal();
    reasons_->setContent(watch_.reasons().value_or(DeadReasons{}), countIn({JobState::Dead}),
                         refusal);
    // Never the mailboxes of the store that was open before.
    fullest_->setVisible(watch_.mailboxes().has_value());
    if (watch_.mailboxes()) {
        fullest_->setContent(*watch_.mailboxes(), MailboxText(context_.preferences, watch_.now()));
    }
    if (!watch_.topics()) {
        return;
    }
    auto topics = busiestFirst(*watch_.topics(), watch_.activity());
    std::vector<std::string> readyTopics;
    for (std::size_t at = 0; at < std::min(topics.size(), TopicList::kRows); ++at) {
        const auto found = watch_.oldest().find(topics[at].topic);
        if (found != watch_.oldest().end()) {
            topics[at].oldest = found->second;
        }
        if (topics[at].ready > 0) {
            readyTopics.push_back(topics[at].topic);
        }
    }
    topics_->setContent(topics, watch_.activity()
                                    ? QString::fromStdString(watch_.activity()->ratesProblem)
                                    : QString());
    watch_.requestOldest(readyTopics);
}

void OverviewPage::showNotice()
{
    const auto& journal = watch_.sample()->journal;
    if (hasFailed_) {
        return;
    }
    if (journal && journal->behind >= kJournalBehindLimit) {
        notice_->showMessage(
            Theme::Severity::Warning,
            tr("The journal is %1 behind. Until it has caught up, what happened since is known to "
               "Redis alone; `restantectl doctor` says what keeps it.")
                .arg(TimeText::duration(journal->behind)));
    } else {
        notice_->clear();
    }
}

/// The figures are shown for a store that has jobs or had some today.
void OverviewPage::updateDisplay()
{
    const auto& sample = watch_.sample();
    std::uint64_t jobs = 0;
    if (sample) {
        for (const auto& [state, count] : sample->counts.states) {
            jobs += count;
        }
    }
    const auto total = watch_.moves().totalSince(midnight());
    const bool isEmpty =
        jobs == 0 && (!total || total->count.delivered + total->count.failed() == 0);
    showTable(session_ != nullptr && sample && !isEmpty);
    if (!isTableShown()) {
        showEmptyPane();
    }
    QString text;
    if (session_ != nullptr && sample) {
        const auto at = TimeText(context_.preferences).absolute(answeredAt_);
        text = isReady() ? tr("As of %1").arg(at) : tr("As it was at %1").arg(at);
    }
    emit statusTextChanged(text);
}

void OverviewPage::showEmptyPane()
{
    emptyPaneActions_.clear();
    auto& actions = context_.actions;
    const auto triggerOf = [&actions](ActionId id) {
        return [action = actions[id]] { action->trigger(); };
    };
    if (session_ == nullptr) {
        emptyPaneActions_ = {triggerOf(ActionId::NewConnection),
                             triggerOf(ActionId::SwitchConnection),
                             [this] { emit demoRequested(); }};
        return emptyPane_->setContent(
            {QStringLiteral("network-server"),
             tr("No store is open"),
             tr("Connect to the store of a daemon on this machine, or to a Redis elsewhere. Or "
                "look around in a store that is made up: it needs no server."),
             {tr("&Add Your First Connection…"), tr("&Open Connection…"), tr("&Demo Data")}});
    }
    if (!watch_.sample()) {
        return showConnectionPane(session_->link());
    }
    emptyPaneActions_ = {triggerOf(ActionId::NewJob), triggerOf(ActionId::NewReminder)};
    emptyPane_->setContent(
        {QStringLiteral("view-overview"),
         tr("The store has no jobs yet"),
         tr("Here will stand what was delivered and what failed today, what waits and how late it "
            "is, why jobs died, and which topics are busy. This brings the first job:\n\n%1")
             .arg(QStringLiteral("restantectl push order --delay 1m --body '{\"close\":1}'")),
         {tr("&New Job…"), tr("New &Reminder…")}});
}

/// The empty pane while the store has not answered yet.
void OverviewPage::showConnectionPane(const LinkState& link)
{
    using Phase = LinkState::Phase;
    if (link.phase == Phase::Connecting) {
        emptyPaneActions_ = {[this] { emit cancelRequested(); }};
        return emptyPane_->setContent({QStringLiteral("network-server"),
                                       tr("Connecting…"),
                                       link.step,
                                       {tr("&Cancel")},
                                       true});
    }
    if (link.phase == Phase::Ready) {
        return emptyPane_->setContent(
            {QStringLiteral("view-refresh"), tr("Loading…"), {}, {}, true});
    }
    emptyPaneActions_ = {
        [this] { session_->backend().reconnect(); },
        [action = context_.actions[ActionId::SwitchConnection]] { action->trigger(); }};
    emptyPane_->setContent(
        {QStringLiteral("network-disconnect"),
         link.phase == Phase::Lost ? tr("The connection was lost") : tr("There is no connection"),
         link.problem,
         {tr("&Try Again"), tr("&Open Connection…")}});
}

/// Retries exactly the jobs that the link of the row shows.
void OverviewPage::retry(const ReasonList::Reason& reason)
{
    const auto filter = JobFilter::parse(reason.filter.toStdString());
    if (!filter) {
        return;  // cannot happen: ReasonList has built the filter
    }
    Selection selection;
    selection.all = true;
    selection.view.filter = *filter;
    selection.view.states = {JobState::Dead};
    selection.count = reason.jobs;
    selection.exact = watch_.reasons() && watch_.reasons()->examined >= countIn({JobState::Dead});
    selection.asOf = watch_.now();
    BulkRequest request;
    request.verb = BulkAction::Verb::RunNow;
    request.selection = std::move(selection);
    request.reason = groupRetryReason(QString::fromStdString(reason.error)).toStdString();
    emit retryRequested(request);
}

void OverviewPage::retranslate()
{
    title_->setText(tr("Overview"));
    scrollArea_->setAccessibleName(tr("Overview"));
    showAll();
}

}  // namespace restante::gui
