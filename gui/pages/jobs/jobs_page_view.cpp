#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/pages/detail/job_detail.h"
#include "gui/pages/jobs/error_bar.h"
#include "gui/pages/jobs/facet_sidebar.h"
#include "gui/pages/jobs/filter_bar.h"
#include "gui/pages/jobs/filter_text.h"
#include "gui/pages/jobs/jobs_page.h"
#include "gui/pages/jobs/jobs_table.h"
#include "gui/pages/jobs/scan_strip.h"
#include "gui/pages/jobs/selection_bar.h"
#include "gui/pages/jobs/state_tabs.h"
#include "gui/pages/jobs/view_notice.h"
#include "gui/session/session.h"
#include "gui/theme/empty_pane.h"

#include <QApplication>
#include <QLocale>
#include <QStackedWidget>

#include <algorithm>
#include <utility>

// What of the page follows the view: questions, counts and what is told about them.

namespace restante::gui {

namespace {

const QString kDescending = QStringLiteral("jobs/descending");

QString number(std::uint64_t count)
{
    return QLocale().toString(static_cast<qulonglong>(count));
}

/// Among the jobs of this view a topic is chosen.
JobsView butTopic(JobsView view)
{
    view.topic.clear();
    view.descending = false;
    return view;
}

}  // namespace

void JobsPage::open(Session* session)
{
    if (session_ != nullptr) {
        disconnect(&session_->backend(), nullptr, this, nullptr);
        disconnect(&session_->commands(), nullptr, this, nullptr);
    }
    session_ = session;
    auto* source = session != nullptr ? &session->source() : nullptr;
    live_.setSource(source);
    counter_.setSource(source);
    feed_.setSource(source);
    facets_.setSource(source);
    check_.setSource(source);
    afterWrites_.stop();
    detail_->open(session);
    storeStates_.clear();
    seenTopics_.clear();
    sidebar_->setSeen({});
    sidebar_->setTopics({});
    currentJob_.clear();
    view_ = {};
    view_.descending = context_.preferences.value(kDescending, false).toBool();
    filter_->setView(view_);
    if (session == nullptr) {
        table_->jobs().setClock([] { return SystemClock().now(); });
        showState();
        return;
    }
    table_->jobs().setClock([source] { return source->now(); });
    connect(&session->backend(), &Backend::linkChanged, this, &JobsPage::showLink);
    connect(&session->commands(), &JobCommands::written, this, [this] {
        if (!afterWrites_.isActive()) {
            afterWrites_.start();
        }
    });
    connect(&session->commands(), &JobCommands::acted, this, &JobsPage::unpickActed);
    showLink();
}

/// Asks as soon as there is somebody to ask.
void JobsPage::showLink()
{
    const bool ready = session_->link().phase == LinkState::Phase::Ready;
    const bool wasStale = table_->jobs().isStale();
    table_->jobs().setStale(!ready || feed_.error().has_value());
    if (ready && !feed_.answered() && !feed_.busy()) {
        showView(JobsView(view_));
    } else if (ready && wasStale && !feed_.error()) {
        reload();
    }
    showState();
}

void JobsPage::refresh()
{
    caughtUp();
    reload();
}

void JobsPage::reload()
{
    if (session_ == nullptr || session_->link().phase != LinkState::Phase::Ready) {
        return;
    }
    countDue_ = true;
    scan_->setOutdated(false);
    feed_.refresh();
    detail_->refresh();
    askFacets();
}

/// Without a filter the counter asks for the store's counts; a scan needs them to tell how far it
/// is. Facets and counts are asked for in turns: what is shown first is not to wait for both.
void JobsPage::askFacets()
{
    if (counter_.counting()) {
        facetsDue_ = true;
        return;
    }
    using Want = FacetQuestions::Want;
    facets_.ask(scans() ? Want::TopicsAndCounts : Want::Topics);
}

void JobsPage::showView(const JobsView& view)
{
    const bool sameJobs = butTopic(view) == butTopic(view_);
    view_ = view;
    context_.preferences.setValue(kDescending, view_.descending);
    filter_->setView(view_);
    tabs_->setStates(view_.states);
    sidebar_->setView(view_);
    table_->showOrder(view_);
    scan_->setOutdated(false);
    if (session_ == nullptr) {
        return;
    }
    caughtUp();
    countDue_ = true;
    counter_.expect(view_);
    check_.setView(view_);
    if (!sameJobs) {
        seenTopics_.clear();
        sidebar_->setSeen({});
    }
    feed_.setView(view_);
    askFacets();
    emit selectionChanged();
}

void JobsPage::change(const std::function<void(JobsView&)>& how)
{
    auto view = view_;
    how(view);
    if (!(view == view_)) {
        showView(view);
    }
}

void JobsPage::showFilter(const QString& filter)
{
    if (const auto parsed = JobFilter::parse(filter.toStdString())) {
        JobsView view;
        view.filter = *parsed;
        view.descending = view_.descending;
        showView(view);
    }
}

void JobsPage::showTopic(const std::string& topic)
{
    JobsView view;
    view.topic = topic;
    view.descending = view_.descending;
    showView(view);
}

void JobsPage::showJob(const std::string& id)
{
    if (const auto row = feed_.rowOf(id); row >= 0) {
        table_->goTo(row);
        return;
    }
    showFilter(QString::fromStdString(filterFor("id", id)));
    currentJob_ = id;
    detail_->showJob(id);
}

bool JobsPage::showSavedView(const QString& name)
{
    const auto saved = saved_.named(name);
    if (saved) {
        showView(saved->view);
    }
    return saved.has_value();
}

/// Counts come after rows; those that look at jobs one by one wait until the rows are through.
void JobsPage::countWhenReady()
{
    using Phase = ScanState::Phase;
    const auto phase = feed_.scan().phase;
    const bool through = phase == Phase::Off || phase == Phase::Waiting || phase == Phase::Done;
    if (countDue_ && feed_.answered() && (through || !scans()) && !facets_.busy()) {
        countDue_ = false;
        counter_.start(view_);
    }
}

JobsPage::Matching JobsPage::matching() const
{
    if (feed_.complete()) {
        return {feed_.total(), true};
    }
    const auto counted = counter_.of(view_.states).value_or(0);
    return {std::max(feed_.total(), counted), counter_.exact()};
}

QString JobsPage::countText() const
{
    const auto [count, exact] = matching();
    if (!feed_.answered()) {
        return tr("counting…");
    }
    if (exact) {
        return tr("%1 matching (exact)").arg(number(count));
    }
    return counter_.counting() ? tr("counting…") : tr("at least %1 matching").arg(number(count));
}

/// For the sidebar, which the store does not tell of topics whose jobs have all ended.
void JobsPage::noteTopics(RowRange rows)
{
    constexpr std::size_t kMost = 100;
    const auto before = seenTopics_.size();
    for (auto at = rows.first; at <= rows.last && seenTopics_.size() < kMost; ++at) {
        if (const auto* row = feed_.row(static_cast<std::uint64_t>(at))) {
            seenTopics_.insert(row->topic.toStdString());
        }
    }
    if (seenTopics_.size() != before) {
        sidebar_->setSeen(seenTopics_);
    }
}

SelectionSummary JobsPage::selection() const
{
    auto summary = table_->picks().summary(matching().count);
    summary.topicChosen = !view_.topic.empty();
    summary.topicPaused = summary.topicChosen && sidebar_->isPaused(view_.topic);
    return summary;
}

QWidget* JobsPage::firstFocus()
{
    if (stack_->currentWidget() == table_) {
        return table_;
    }
    waitsForRows_ = true;
    return &filter_->edit();
}

Selection JobsPage::selected() const
{
    const auto [count, exact] = matching();
    auto selection = table_->picks().selection(view_, count, exact);
    if (selection.all) {
        selection.epoch = feed_.epoch();
        selection.asOf = feed_.asOf();
    }
    return selection;
}

std::vector<JobRow> JobsPage::knownRows(std::size_t most) const
{
    std::vector<JobRow> rows;
    feed_.eachLoaded([&](std::uint64_t, const JobRow& row) {
        if (rows.size() < most && table_->picks().has(row.id)) {
            rows.push_back(row);
        }
    });
    return rows;
}

/// Jobs are found by looking at each.
bool JobsPage::scans() const
{
    return !feed_.ranked() && view_.whole().plan().scans;
}

/// Jobs that a scan of this view has to look at; 0 = nobody knows.
std::uint64_t JobsPage::toLookAt() const
{
    const auto plan = view_.whole().plan();
    std::uint64_t sum = 0;
    for (const auto& [state, count] : storeStates_) {
        const auto among = [state = state](const std::vector<JobState>& states) {
            return std::find(states.begin(), states.end(), state) != states.end();
        };
        if ((view_.states.empty() || among(view_.states)) &&
            (!plan.states || among(*plan.states))) {
            sum += count;
        }
    }
    return sum;
}

void JobsPage::showState()
{
    if (session_ != nullptr) {
        const bool ready = session_->link().phase == LinkState::Phase::Ready;
        table_->jobs().setStale(!ready || feed_.error().has_value());
    }
    errorBar_->setContent(feed_.error(), feed_.total() > 0);
    scan_->setVisible(session_ != nullptr && scans());
    scan_->setContent(feed_.scan(), toLookAt(), counter_.counting());
    const auto [count, exact] = matching();
    bar_->setVisible(session_ != nullptr);
    bar_->setContent(table_->picks(), count, exact);
    showNotice();
    showStatusText();
}

void JobsPage::showNotice()
{
    NoticeChoice choice;
    const auto phase = session_ != nullptr ? session_->link().phase : LinkState::Phase::Closed;
    if (session_ == nullptr) {
        choice = noticeWithoutSession();
    } else if (feed_.total() > 0) {
        stack_->setCurrentWidget(table_);
        giveFocus();
        return;
    } else if (phase != LinkState::Phase::Ready) {
        choice = noticeOf(session_->link());
    } else if (!feed_.answered() || feed_.scan().phase == ScanState::Phase::Running) {
        choice = feed_.ranked() ? noticeWhileLoading() : noticeWhileScanning();
    } else {
        choice = noticeOfNothing(view_);
    }
    noticeActs_.clear();
    int term = 0;
    for (const auto act : choice.acts) {
        noticeActs_.push_back(acting(act, term));
        term += act == NoticeAct::Term ? 1 : 0;
    }
    emptyPane_->setContent(choice.notice);
    stack_->setCurrentWidget(emptyPane_);
}

/// The keyboard, which waited in the filter box for there to be rows, goes on to them; not when
/// somebody has begun to type meanwhile.
void JobsPage::giveFocus()
{
    const auto& edit = filter_->edit();
    if (waitsForRows_ && feed_.answered() && stack_->currentWidget() == table_ &&
        std::exchange(waitsForRows_, false) && window()->focusWidget() == &edit &&
        edit.text() == edit.applied()) {
        table_->setFocus();
    }
}

std::function<void()> JobsPage::acting(NoticeAct act, int term)
{
    auto& actions = context_.actions;
    switch (act) {
    case NoticeAct::NewConnection: return [&actions] { actions[Act::NewConnection]->trigger(); };
    case NoticeAct::OpenConnection:
        return [&actions] { actions[Act::SwitchConnection]->trigger(); };
    case NoticeAct::Demo: return [this] { emit demoWanted(); };
    case NoticeAct::Cancel: return [this] { emit cancelWanted(); };
    case NoticeAct::Retry: return [this] { session_->backend().reconnect(); };
    case NoticeAct::AllStates:
        return [this] {
            change([](JobsView& view) {
                view.states.clear();
                view.channel.reset();
                view.topic.clear();
            });
        };
    case NoticeAct::WholeFilter:
        return [this] { change([](JobsView& view) { view.filter = {}; }); };
    case NoticeAct::Term: break;
    }
    return [this, term] {
        const auto filter = withoutTerm(QString::fromStdString(view_.filter.text()), term);
        change([&](JobsView& view) {
            view.filter = JobFilter::parse(filter.toStdString()).value_or(JobFilter());
        });
    };
}

void JobsPage::showStatusText()
{
    if (session_ == nullptr) {
        emit statusTextChanged({});
        return;
    }
    const auto selected = table_->picks().count(matching().count);
    emit statusTextChanged(
        selected == 0 ? countText() : tr("%1 · %2 selected").arg(countText(), number(selected)));
}

void JobsPage::openCurrent()
{
    const auto id = jobAtHand();
    if (id.empty()) {
        return;
    }
    context_.actions[Act::ToggleDetail]->setChecked(true);
    detail_->showJob(id);
    detail_->firstFocus()->setFocus();
}

/// What Return opens. Where the keyboard is another job may stand by now than the current one: then
/// what the user sees there is meant.
std::string JobsPage::jobAtHand()
{
    if (table_->currentJob() != nullptr) {
        table_->takeCurrent();
    }
    return currentJob_;
}

/// In the payload the same keys search: that is its own affair.
void JobsPage::focusFind()
{
    if (detail_->takesFind()) {
        return;
    }
    filter_->edit().setFocus();
    filter_->edit().selectAll();
}

}  // namespace restante::gui
