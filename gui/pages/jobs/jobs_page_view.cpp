#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/base/text_piece.h"
#include "gui/pages/detail/job_detail.h"
#include "gui/pages/jobs/facet_sidebar.h"
#include "gui/pages/jobs/filter_bar.h"
#include "gui/pages/jobs/filter_text.h"
#include "gui/pages/jobs/jobs_bars.h"
#include "gui/pages/jobs/jobs_page.h"
#include "gui/pages/jobs/jobs_table.h"
#include "gui/session/store_session.h"
#include "gui/theme/theme.h"

#include <QApplication>
#include <QCoreApplication>
#include <QLocale>
#include <QStackedWidget>

#include <algorithm>
#include <utility>

// The part of JobsPage that loads, counts and shows the view.

namespace restante::gui {

namespace {

const QString kDescending = QStringLiteral("jobs/descending");

constexpr int kMaxTermButtons = 8;
constexpr qsizetype kMaxButtonTermLength = 40;

/// The translation context of these texts.
struct NoticeText {
    Q_DECLARE_TR_FUNCTIONS(NoticeText)
};

QString buttonText(const QString& term)
{
    auto text = term.size() <= kMaxButtonTermLength
                    ? term
                    : beginningOf(term, kMaxButtonTermLength) + QChar(0x2026);
    // A button reads a single '&' as a mnemonic.
    return text.replace(u'&', QLatin1String("&&"));
}

/// The view without topic, reason and order: its jobs supply the topics of the sidebar.
JobsView withoutTopicAndError(JobsView view)
{
    view.topic.clear();
    view.error.clear();
    view.descending = false;
    return view;
}

}  // namespace

void JobsPage::open(StoreSession* session)
{
    if (session_ != nullptr) {
        disconnect(&session_->backend(), nullptr, this, nullptr);
        disconnect(&session_->commands(), nullptr, this, nullptr);
        cancelLookUp();
    }
    session_ = session;
    auto* source = session != nullptr ? &session->source() : nullptr;
    liveUpdate_.setSource(source);
    counter_.setSource(source);
    feed_.setSource(source);
    facets_.setSource(source);
    retryingCounter_.setSource(source);
    reasons_.setSource(source);
    selectionCheck_.setSource(source);
    afterWritesTimer_.stop();
    detail_->open(session);
    storeStateCounts_.clear();
    seenTopics_.clear();
    sidebar_->forgetStore();
    currentJob_.clear();
    view_ = {};
    view_.descending = context_.preferences.value(kDescending, false).toBool();
    filterBar_->setView(view_);
    wasReady_ = false;
    if (session == nullptr) {
        table_->jobs().setClock([] { return SystemClock().now(); });
        updateDisplay();
        return;
    }
    table_->jobs().setClock([source] { return source->now(); });
    connect(&session->backend(), &Backend::linkChanged, this, &JobsPage::updateForLink);
    connect(&session->commands(), &JobCommands::written, this, [this] {
        if (!afterWritesTimer_.isActive()) {
            afterWritesTimer_.start();
        }
    });
    connect(&session->commands(), &JobCommands::jobsChanged, this, &JobsPage::deselectAfterAction);
    updateForLink();
}

bool JobsPage::isReady() const
{
    return session_ != nullptr && session_->link().phase == LinkState::Phase::Ready;
}

/// Loads the view as soon as the connection is ready, and again when it is ready again, also after
/// an error that came of its loss. Each ping calls this, too.
void JobsPage::updateForLink()
{
    const bool ready = isReady();
    const bool wasReady = std::exchange(wasReady_, ready);
    table_->jobs().setStale(!ready || feed_.error().has_value());
    if (ready && !feed_.answered() && !feed_.busy()) {
        showView(JobsView(view_));
    } else if (ready && !wasReady) {
        reload();
    }
    updateDisplay();
}

void JobsPage::refresh()
{
    retryingCounter_.setOutdated();
    reasons_.setOutdated();
    resetNewJobs();
    reload();
}

void JobsPage::reload()
{
    if (!isReady()) {
        return;
    }
    countDue_ = true;
    scanStrip_->setOutdated(false);
    feed_.refresh();
    detail_->refresh();
    requestFacets();
}

/// A scan needs the store's counts to show its progress; without a filter the counter requests
/// them. Facets wait for a running count, so that what is shown first does not wait for both.
void JobsPage::requestFacets()
{
    if (counter_.isPending()) {
        facetsDue_ = true;
        return;
    }
    using Parts = FacetQueries::Parts;
    facets_.setWithActivity(TopicFacets(view_).wantsActivity());
    facets_.request(needsScan() ? Parts::TopicsAndCounts : Parts::Topics);
}

void JobsPage::showView(const JobsView& view)
{
    cancelLookUp();
    setView(view);
}

void JobsPage::setView(const JobsView& view)
{
    const bool sameJobs = withoutTopicAndError(view) == withoutTopicAndError(view_);
    view_ = view;
    context_.preferences.setValue(kDescending, view_.descending);
    filterBar_->setView(view_);
    tabs_->setView(view_);
    sidebar_->setView(view_);
    table_->showSortOrder(view_);
    scanStrip_->setOutdated(false);
    if (session_ == nullptr) {
        return;
    }
    resetNewJobs();
    countDue_ = true;
    counter_.setView(view_);
    selectionCheck_.setView(view_);
    retryingCounter_.setView(view_);
    reasons_.setView(view_);
    if (!sameJobs) {
        seenTopics_.clear();
        sidebar_->setSeenTopics({});
    }
    feed_.setView(view_);
    requestFacets();
    emit selectionChanged();
}

void JobsPage::changeView(const std::function<void(JobsView&)>& edit)
{
    auto view = view_;
    edit(view);
    if (!(view == view_)) {
        setView(view);
    }
}

void JobsPage::cancelLookUp()
{
    if (session_ != nullptr) {
        session_->source().cancel(std::exchange(lookUpRequest_, 0));
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
    const auto saved = savedViews_.find(name);
    if (saved) {
        showView(saved->view);
    }
    return saved.has_value();
}

/// Counts start after the first rows; in a view that is scanned, after the scan has ended or waits.
void JobsPage::countWhenReady()
{
    using Phase = ScanState::Phase;
    const auto phase = feed_.scan().phase;
    const bool scanIdle = phase == Phase::Off || phase == Phase::Waiting || phase == Phase::Done;
    if (countDue_ && feed_.answered() && (scanIdle || !needsScan()) && !facets_.isPending()) {
        countDue_ = false;
        counter_.start(view_);
        retryingCounter_.start();
        reasons_.start();
    }
}

JobsPage::MatchCount JobsPage::matchCount() const
{
    // Without a connection the last exact count may be outdated.
    const bool current = isReady() && !feed_.error();
    if (feed_.complete()) {
        return {feed_.total(), current};
    }
    if (view_.retrying) {
        const auto counted = retryingCounter_.count().value_or(0);
        return {std::max(feed_.total(), counted), current && retryingCounter_.exact()};
    }
    const auto counted = counter_.count(view_.states).value_or(0);
    return {std::max(feed_.total(), counted), current && counter_.exact()};
}

QString JobsPage::countText() const
{
    const auto [count, exact] = matchCount();
    const bool disconnected = !isReady() || feed_.error();
    if (!feed_.answered()) {
        return disconnected ? QString() : tr("counting…");
    }
    if (disconnected) {
        return tr("%1 matching when the store last answered").arg(QLocale().toString(count));
    }
    if (exact) {
        return tr("%1 matching (exact)").arg(QLocale().toString(count));
    }
    return counter_.isPending() ? tr("counting…")
                                : tr("at least %1 matching").arg(QLocale().toString(count));
}

/// Collects topics for the sidebar: the store does not list topics whose jobs have all ended.
void JobsPage::collectTopics(RowRange rows)
{
    constexpr std::size_t kMaxTopics = 100;
    const auto before = seenTopics_.size();
    for (auto at = rows.first; at <= rows.last && seenTopics_.size() < kMaxTopics; ++at) {
        if (const auto* row = feed_.row(at)) {
            seenTopics_.insert(row->topic.toStdString());
        }
    }
    if (seenTopics_.size() != before) {
        sidebar_->setSeenTopics(seenTopics_);
    }
}

SelectionSummary JobsPage::selection() const
{
    auto summary = table_->selectedJobs().summary(matchCount().count);
    summary.topicChosen = !view_.topic.empty();
    summary.topicName = QString::fromStdString(view_.topic);
    summary.topicPaused = summary.topicChosen && sidebar_->isPaused(view_.topic);
    return summary;
}

QWidget* JobsPage::firstFocus()
{
    if (stack_->currentWidget() == table_) {
        return table_;
    }
    focusAwaitsRows_ = true;
    return &filterBar_->edit();
}

Selection JobsPage::selected() const
{
    const auto [count, exact] = matchCount();
    auto selection = table_->selectedJobs().selection(view_, count, exact);
    if (selection.all) {
        selection.epoch = feed_.epoch();
        selection.asOf = feed_.asOf();
    }
    return selection;
}

std::vector<JobRow> JobsPage::knownRows(std::size_t maxRows) const
{
    std::vector<JobRow> rows;
    feed_.forEachLoaded([&](std::uint64_t, const JobRow& row) {
        if (rows.size() < maxRows && table_->selectedJobs().has(row.id)) {
            rows.push_back(row);
        }
    });
    return rows;
}

/// Whether the view has no index, so that each job is examined.
bool JobsPage::needsScan() const
{
    return !feed_.ranked() && view_.combinedFilter().plan().scans;
}

/// The number of jobs that a scan of this view examines; 0 = unknown.
std::uint64_t JobsPage::jobsToScan() const
{
    const auto plan = view_.combinedFilter().plan();
    std::uint64_t sum = 0;
    for (const auto& [state, count] : storeStateCounts_) {
        const auto among = [state = state](const std::vector<JobState>& states) {
            return std::ranges::find(states, state) != states.end();
        };
        if ((view_.states.empty() || among(view_.states)) &&
            (!plan.states || among(*plan.states))) {
            sum += count;
        }
    }
    return sum;
}

/// Updates the bars, the notice and the texts around the table.
void JobsPage::updateDisplay()
{
    if (session_ != nullptr) {
        table_->jobs().setStale(!isReady() || feed_.error().has_value());
    }
    errorBar_->setContent(feed_.error(), feed_.total() > 0);
    scanStrip_->setVisible(session_ != nullptr && needsScan());
    scanStrip_->setContent(feed_.scan(), jobsToScan(), counter_.isPending());
    const auto [count, exact] = matchCount();
    selectionBar_->setVisible(session_ != nullptr);
    selectionBar_->setContent(table_->selectedJobs(), count, exact);
    showTableOrNotice();
    showStatusText();
}

void JobsPage::showTableOrNotice()
{
    EmptyPane::Content notice;
    emptyPaneActions_.clear();
    const auto phase = session_ != nullptr ? session_->link().phase : LinkState::Phase::Closed;
    if (session_ == nullptr) {
        notice = noSessionNotice();
    } else if (feed_.total() > 0) {
        stack_->setCurrentWidget(table_);
        focusTableIfWaiting();
        return;
    } else if (phase != LinkState::Phase::Ready) {
        notice = connectionNotice(session_->link());
    } else if (!feed_.answered() || feed_.scan().phase == ScanState::Phase::Running) {
        notice = searchingNotice();
    } else {
        notice = noMatchNotice();
    }
    emptyPane_->setContent(notice);
    stack_->setCurrentWidget(emptyPane_);
}

EmptyPane::Content JobsPage::noSessionNotice()
{
    auto& actions = context_.actions;
    emptyPaneActions_ = {[&actions] { actions[ActionId::NewConnection]->trigger(); },
                         [&actions] { actions[ActionId::SwitchConnection]->trigger(); },
                         [this] { emit demoRequested(); }};
    return {QStringLiteral("network-server"),
            NoticeText::tr("No store is open"),
            NoticeText::tr(
                "Connect to the store of a daemon on this machine, or to a Redis elsewhere. Or "
                "look around in a store that is made up: it needs no server."),
            {NoticeText::tr("&Add Your First Connection…"), NoticeText::tr("&Open Connection…"),
             NoticeText::tr("&Demo Data")},
            false};
}

/// The notice for a connection that is not ready.
EmptyPane::Content JobsPage::connectionNotice(const LinkState& link)
{
    using Phase = LinkState::Phase;
    if (link.phase == Phase::Connecting) {
        emptyPaneActions_ = {[this] { emit cancelRequested(); }};
        return {QStringLiteral("network-server"),
                NoticeText::tr("Connecting…"),
                link.step,
                {NoticeText::tr("&Cancel")},
                true};
    }
    auto* connections = context_.actions[ActionId::SwitchConnection];
    emptyPaneActions_ = {[this] { session_->backend().reconnect(); },
                         [connections] { connections->trigger(); }};
    return {QStringLiteral("network-disconnect"),
            link.phase == Phase::Lost ? NoticeText::tr("The connection was lost")
                                      : NoticeText::tr("There is no connection"),
            link.problem,
            {NoticeText::tr("&Try Again"), NoticeText::tr("&Open Connection…")},
            false};
}

/// The notice while loading or scanning has found nothing yet.
EmptyPane::Content JobsPage::searchingNotice() const
{
    if (feed_.ranked()) {
        return {QStringLiteral("view-refresh"), NoticeText::tr("Loading…"), {}, {}, true};
    }
    return {QStringLiteral("edit-find"),
            NoticeText::tr("Looking…"),
            NoticeText::tr(
                "Nothing is found yet. The store has no index for this filter, so jobs are looked "
                "at one by one."),
            {},
            true};
}

/// The notice when nothing matches.
EmptyPane::Content JobsPage::noMatchNotice()
{
    EmptyPane::Content notice;
    notice.icon = QStringLiteral("filter");
    const auto add = [&](const QString& button, const std::function<void(JobsView&)>& edit) {
        notice.buttons.append(button);
        emptyPaneActions_.emplace_back([this, edit] { changeView(edit); });
    };
    const auto filter = QString::fromStdString(view_.filter.text());
    const bool narrowed =
        !view_.states.empty() || view_.channel || !view_.topic.empty() || !view_.error.empty();
    if (filter.isEmpty()) {
        notice.headline =
            !narrowed ? NoticeText::tr("The store has no jobs") : NoticeText::tr("No jobs here");
        notice.sentence =
            !view_.error.empty()
                ? NoticeText::tr("This view shows jobs whose last failure had the chosen reason, "
                                 "and there are none.")
            : view_.retrying
                ? NoticeText::tr("This view shows jobs that are tried again after a failed "
                                 "attempt, and there are none.")
            : view_.states.size() == 1
                ? NoticeText::tr("This view shows jobs in state “%1”, and there are none.")
                      .arg(Theme::stateName(view_.states.front()))
            : narrowed ? NoticeText::tr("No job is of this channel and topic.")
                       : NoticeText::tr("Jobs appear here as soon as somebody pushes one.");
    } else {
        notice.headline = NoticeText::tr("No job matches");
        notice.sentence = filter;
        const auto terms = termsOf(filter);
        for (int at = 0;
             terms.size() > 1 && at < std::min<qsizetype>(terms.size(), kMaxTermButtons); ++at) {
            const auto remaining = withoutTerm(filter, at);
            add(NoticeText::tr("Without %1").arg(buttonText(terms.at(at))),
                [remaining](JobsView& view) {
                    view.filter = JobFilter::parse(remaining.toStdString()).value_or(JobFilter());
                });
        }
        add(NoticeText::tr("&Clear the Filter"), [](JobsView& view) { view.filter = {}; });
    }
    addElsewhereNotice(notice);
    if (narrowed) {
        add(NoticeText::tr("&Show All States, Channels and Topics"), [](JobsView& view) {
            view.states.clear();
            view.retrying = false;
            view.channel.reset();
            view.topic.clear();
            view.error.clear();
        });
    }
    return notice;
}

/// Adds "None here; 172 in other states" and a button that shows all states. Those that are not
/// retried may be in the states of the tab.
void JobsPage::addElsewhereNotice(EmptyPane::Content& notice)
{
    const auto countInAllStates =
        view_.states.empty() ? std::nullopt : counter_.count(std::vector<JobState>{});
    if (!countInAllStates || *countInAllStates == 0) {
        return;
    }
    const int count = static_cast<int>(std::min<std::uint64_t>(*countInAllStates, 1'000'000'000));
    const bool isExact = counter_.exact();
    const auto elsewhere =
        view_.retrying
            ? (isExact ? NoticeText::tr("None here; %Ln in all states.", "", count)
                       : NoticeText::tr("None here; at least %Ln in all states.", "", count))
        : isExact ? NoticeText::tr("None here; %Ln in other states.", "", count)
                  : NoticeText::tr("None here; at least %Ln in other states.", "", count);
    notice.sentence += notice.sentence.isEmpty() ? elsewhere : u'\n' + elsewhere;
    notice.buttons.append(NoticeText::tr("Look in All &States"));
    emptyPaneActions_.emplace_back([this] {
        changeView([](JobsView& view) {
            view.states.clear();
            view.retrying = false;
        });
    });
}

/// Moves the focus from the filter box to the table once it has rows, unless the user has begun to
/// type meanwhile.
void JobsPage::focusTableIfWaiting()
{
    const auto& edit = filterBar_->edit();
    if (focusAwaitsRows_ && feed_.answered() && stack_->currentWidget() == table_ &&
        std::exchange(focusAwaitsRows_, false) && window()->focusWidget() == &edit &&
        edit.text() == edit.appliedFilter()) {
        table_->setFocus();
    }
}

void JobsPage::showStatusText()
{
    if (session_ == nullptr) {
        emit statusTextChanged({});
        return;
    }
    const auto selected = table_->selectedJobs().count(matchCount().count);
    emit statusTextChanged(
        selected == 0 ? countText()
                      : tr("%1 · %2 selected").arg(countText(), QLocale().toString(selected)));
}

void JobsPage::openCurrent()
{
    const auto id = jobToOpen();
    if (id.empty()) {
        return;
    }
    context_.actions[ActionId::ToggleDetail]->setChecked(true);
    detail_->showJob(id);
    detail_->firstFocus()->setFocus();
}

/// The job that Return opens: the one in the current row, which may by now be another one than the
/// current job.
std::string JobsPage::jobToOpen()
{
    if (table_->jobInCurrentRow() != nullptr) {
        table_->updateCurrentJob();
    }
    return currentJob_;
}

/// The payload tab handles the same keys itself.
void JobsPage::focusFind()
{
    if (detail_->hasPayloadFocus()) {
        return;
    }
    filterBar_->edit().setFocus();
    filterBar_->edit().selectAll();
}

/// The store has changed. A view that needs a scan is not scanned again; only the rows on the
/// screen are updated.
void JobsPage::reloadLive()
{
    if (!isReady()) {
        return;  // updateForLink() reloads after a reconnect
    }
    if (!isVisible()) {
        liveReloadDue_ = true;
        return;
    }
    if (!needsScan()) {
        liveReloadDue_ = false;
        return reload();
    }
    scanStrip_->setOutdated(true);
    // While nobody saw the page, ids of changed jobs were not kept.
    requestRowsOnScreen(std::exchange(liveReloadDue_, false) ? nullptr : &liveUpdate_.changedIds());
    selectionCheck_.start();
    requestFacets();
}

/// Whether the user is dragging or has a menu open, or a load is running that would restart.
bool JobsPage::mustDelayReload() const
{
    return table_->isUserBusy() || QApplication::activePopupWidget() != nullptr ||
           (!needsScan() && feed_.loading());
}

/// Reloads after the user's own writes, also in a view that needs a scan.
void JobsPage::reloadAfterWrites()
{
    // A count by scan may take minutes and is restarted; any other ends soon and is waited for.
    if (mustDelayReload() || feed_.loading() || (!needsScan() && counter_.isPending())) {
        afterWritesTimer_.start();
        return;
    }
    if (!isVisible()) {
        reloadDue_ = true;
        return;
    }
    refresh();
}

void JobsPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    if (std::exchange(reloadDue_, false)) {
        liveReloadDue_ = false;
        reload();
    } else if (liveReloadDue_) {
        reloadLive();
    }
}

/// Jobs selected by id stay selected for further actions. "All that match" is cleared after an
/// action, for it would include jobs that arrive later.
void JobsPage::deselectAfterAction(const Selection& selection,
                                   const std::vector<JobBefore>& changed)
{
    if (!changed.empty() && selection.all && selection.view == view_ &&
        table_->selectedJobs().all()) {
        table_->jobsSelection().selectNone();
    }
}

/// Reads those visible rows again whose jobs have changed; replaces each when its answer comes.
void JobsPage::requestRowsOnScreen(const std::set<std::string>* ids)
{
    const auto visible = table_->visibleRows();
    for (auto at = visible.first; at <= visible.last; ++at) {
        const auto* row = feed_.row(at);
        if (row != nullptr && (ids == nullptr || ids->count(row->id) != 0)) {
            session_->source().show(row->id, {this, [this](const Result<JobView>& answer) {
                                                  if (answer) {
                                                      feed_.replace(rowOf(*answer));
                                                  }
                                              }});
        }
    }
}

/// Updates the number of jobs that have arrived since the user last looked.
void JobsPage::countNewJobs()
{
    if (!seenTotal_) {
        seenTotal_ = feed_.total();
        newAbove_ = 0;
    }
    const auto grown = feed_.total() > *seenTotal_ ? feed_.total() - *seenTotal_ : 0;
    const auto above = static_cast<std::uint64_t>(std::max<std::int64_t>(0, newAbove_));
    // A cursor view grows by its scan, not only by new jobs.
    selectionBar_->setNewJobs(feed_.ranked() ? std::max(grown, above) : 0,
                              above > 0 ? SelectionBar::NewJobsSide::Above
                                        : SelectionBar::NewJobsSide::Below);
}

/// Resets the number of new jobs: the user has requested the next rows.
void JobsPage::resetNewJobs()
{
    seenTotal_.reset();
    newAbove_ = 0;
    selectionBar_->setNewJobs(0, SelectionBar::NewJobsSide::Above);
}

}  // namespace restante::gui
