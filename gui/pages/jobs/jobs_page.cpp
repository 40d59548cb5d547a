#include "gui/pages/jobs/jobs_page.h"

#include "core/base/text.h"
#include "core/job/job_filter.h"
#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/operations/reason_text.h"
#include "gui/pages/detail/job_detail.h"
#include "gui/pages/jobs/columns_dialog.h"
#include "gui/pages/jobs/facet_sidebar.h"
#include "gui/pages/jobs/filter_bar.h"
#include "gui/pages/jobs/filter_text.h"
#include "gui/pages/jobs/jobs_bars.h"
#include "gui/pages/jobs/jobs_menus.h"
#include "gui/pages/jobs/jobs_table.h"
#include "gui/pages/page_parts.h"
#include "gui/session/store_session.h"

#include <QApplication>
#include <QInputDialog>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <set>
#include <utility>

namespace restante::gui {

namespace {

const QString kFacetSplitterKey = QStringLiteral("jobs/sides");
const QString kDetailBelowSizesKey = QStringLiteral("jobs/halves");
const QString kDetailRightSizesKey = QStringLiteral("jobs/halvesRight");
const QString kDetailRight = QStringLiteral("jobs/detailRight");
const QString kShowSidebar = QStringLiteral("jobs/showSidebar");
const QString kShowDetail = QStringLiteral("jobs/showDetail");
const QString kLive = QStringLiteral("live/on");
/// Bulk requests and imports report each job: the page reloads once for many of them.
constexpr int kAfterWritesDelayMs = 250;
constexpr std::size_t kMaxFieldValues = 40;

QInputDialog* nameDialog(const char* objectName,
                         const QString& title,
                         const QString& label,
                         const QString& name,
                         QWidget* parent)
{
    auto* dialog = makeWidget<QInputDialog>(objectName, parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->setLabelText(label);
    dialog->setTextValue(name);
    return dialog;
}

}  // namespace

JobsPage::JobsPage(Context context, QWidget* parent)
    : Page(parent),
      context_(context),
      liveUpdate_(context.preferences),
      savedViews_(context.preferences)
{
    setObjectName(QStringLiteral("jobsPage"));
    build();
    connectFeed();
    connectFilters();
    connectTable();
    connectActions();
    restoreLayout();
    filterBar_->setView(view_);
    updateDisplay();
    onLanguageChange(this, [this] {
        table_->retranslate();
        sidebar_->retranslate();
        filterBar_->retranslate();
        tabs_->setCounts(counter_, retryingCounter_);
        updateDisplay();
    });
}

void JobsPage::build()
{
    auto* pageColumn = tightVBoxLayout(this);
    facetSplitter_ = makeWidget<QSplitter>("jobsSides", Qt::Horizontal, this);
    facetSplitter_->setChildrenCollapsible(false);
    sidebar_ = new FacetSidebar(savedViews_, facetSplitter_);
    facetSplitter_->addWidget(sidebar_);
    facetSplitter_->addWidget(buildCentre());
    facetSplitter_->setStretchFactor(0, 0);
    facetSplitter_->setStretchFactor(1, 1);
    pageColumn->addWidget(facetSplitter_);
    connect(facetSplitter_, &QSplitter::splitterMoved, this, &JobsPage::saveLayout);
    connect(detailSplitter_, &QSplitter::splitterMoved, this, &JobsPage::saveLayout);
    connect(&context_.preferences, &Preferences::layoutsForgotten, this, &JobsPage::restoreLayout);
}

QWidget* JobsPage::buildCentre()
{
    auto* centre = new QWidget(facetSplitter_);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(6, 6, 6, 0);
    column->setSpacing(4);
    filterBar_ = new FilterBar(context_.preferences, savedViews_, centre);
    tabs_ = new StateTabs(centre);
    errorBar_ = new ErrorBar(centre);
    scanStrip_ = new ScanStrip(centre);
    detailSplitter_ = makeWidget<QSplitter>("jobsHalves", Qt::Vertical, centre);
    detailSplitter_->setChildrenCollapsible(false);
    auto* upper = new QWidget(detailSplitter_);
    auto* upperColumn = tightVBoxLayout(upper);
    stack_ = new QStackedWidget(upper);
    table_ = new JobsTable(context_, feed_, QStringLiteral("jobs/header"), stack_);
    emptyPane_ = makeWidget<EmptyPane>("jobsNotice", stack_);
    stack_->addWidget(table_);
    stack_->addWidget(emptyPane_);
    selectionBar_ = new SelectionBar(upper);
    upperColumn->addWidget(stack_, 1);
    upperColumn->addWidget(selectionBar_);
    detail_ = new JobDetail(context_, detailSplitter_);
    detailSplitter_->addWidget(upper);
    detailSplitter_->addWidget(detail_);
    detailSplitter_->setStretchFactor(0, 3);
    detailSplitter_->setStretchFactor(1, 2);
    for (auto* part : std::initializer_list<QWidget*>{filterBar_, tabs_, errorBar_, scanStrip_}) {
        column->addWidget(part);
    }
    column->addWidget(detailSplitter_, 1);
    return centre;
}

void JobsPage::connectFeed()
{
    const auto handleArrival = [this] {
        countWhenReady();
        if (feed_.answered()) {
            errorBar_->markUpToDate();
            if (!seenTotal_) {
                countNewJobs();
            }
        }
        updateDisplay();
    };
    connect(&feed_, &JobsFeed::rowsArrived, this, handleArrival);
    connect(&feed_, &JobsFeed::rowsArrived, this, &JobsPage::collectTopics);
    connect(&feed_, &JobsFeed::swapped, this, [this, handleArrival] {
        countNewJobs();
        handleArrival();
        collectTopics(table_->visibleRows());
        selectionCheck_.start();
    });
    connect(&feed_, &JobsFeed::reset, this, &JobsPage::updateDisplay);
    connect(&feed_, &JobsFeed::scanProgressed, this, handleArrival);
    connect(&feed_, &JobsFeed::errorChanged, this, &JobsPage::updateDisplay);
    connect(&counter_, &JobsCounter::changed, this, [this] {
        tabs_->setCounts(counter_, retryingCounter_);
        updateDisplay();
        if (!counter_.isPending() && std::exchange(facetsDue_, false)) {
            requestFacets();
        }
    });
    connect(&retryingCounter_, &RetryingCounter::changed, this, [this] {
        tabs_->setCounts(counter_, retryingCounter_);
        updateDisplay();
    });
    connect(&reasons_, &ReasonCounter::changed, this, [this] { sidebar_->setReasons(reasons_); });
    connect(&liveUpdate_, &LiveUpdate::reloadRequested, this, &JobsPage::reloadLive);
    liveUpdate_.setPausePredicate([this] { return mustDelayReload(); });
    afterWritesTimer_.setSingleShot(true);
    afterWritesTimer_.setInterval(kAfterWritesDelayMs);
    connect(&afterWritesTimer_, &QTimer::timeout, this, &JobsPage::reloadAfterWrites);
    connect(&facets_, &FacetQueries::idle, this, &JobsPage::countWhenReady);
    connect(&facets_, &FacetQueries::topics, this, [this](const auto& topics) {
        sidebar_->setTopics(topics);
        emit selectionChanged();
    });
    connect(&facets_, &FacetQueries::activity, sidebar_, &FacetSidebar::setActivity);
    connect(&facets_, &FacetQueries::counts, this, [this](const StoreCounts& counts) {
        storeStateCounts_ = counts.states;
        updateDisplay();
    });
    connect(errorBar_, &ErrorBar::retryRequested, this, &JobsPage::refresh);
    connect(scanStrip_, &ScanStrip::stopRequested, this, [this] {
        counter_.stop();
        feed_.stopScan();
        updateDisplay();
    });
    connect(scanStrip_, &ScanStrip::continueRequested, &feed_, &JobsFeed::continueScan);
    connect(scanStrip_, &ScanStrip::searchAgainRequested, this, &JobsPage::refresh);
}

void JobsPage::connectFilters()
{
    connect(tabs_, &StateTabs::statesRequested, this,
            [this](const std::vector<JobState>& states, bool retrying) {
                changeView([&](JobsView& view) {
                    view.states = states;
                    view.retrying = retrying;
                });
            });
    connect(sidebar_, &FacetSidebar::reasonRequested, this, [this](const std::string& reason) {
        changeView([&](JobsView& view) { view.error = reason; });
    });
    connect(sidebar_, &FacetSidebar::reasonRetryRequested, this, &JobsPage::retryGroup);
    connect(filterBar_, &FilterBar::viewRequested, this, &JobsPage::showView);
    connect(sidebar_, &FacetSidebar::channelRequested, this,
            [this](const std::optional<Channel>& channel) {
                changeView([&](JobsView& view) { view.channel = channel; });
            });
    connect(sidebar_, &FacetSidebar::topicRequested, this, [this](const std::string& topic) {
        changeView([&](JobsView& view) { view.topic = topic; });
    });
    connect(sidebar_, &FacetSidebar::savedViewRequested, this, &JobsPage::showSavedView);
    connect(sidebar_, &FacetSidebar::removeRequested, &savedViews_, &SavedViews::remove);
    connect(sidebar_, &FacetSidebar::renameRequested, this, &JobsPage::renameView);
    connect(filterBar_, &FilterBar::savedViewRequested, this, &JobsPage::showSavedView);
    connect(filterBar_, &FilterBar::saveRequested, this, &JobsPage::saveView);
    connect(filterBar_, &FilterBar::filterRequested, this, [this](const JobFilter& filter) {
        applyFilter(filter);
        focusAwaitsRows_ = true;
        focusTableIfWaiting();
    });
    connect(filterBar_, &FilterBar::leaveRequested, this, [this] { table_->setFocus(); });
    filterBar_->edit().setValueProvider([this](const QString& field) {
        const std::map<QString, JobColumn> columns{{QStringLiteral("to"), JobColumn::To},
                                                   {QStringLiteral("recipient"), JobColumn::To},
                                                   {QStringLiteral("from"), JobColumn::From},
                                                   {QStringLiteral("sender"), JobColumn::From},
                                                   {QStringLiteral("type"), JobColumn::Type},
                                                   {QStringLiteral("id"), JobColumn::Id},
                                                   {QStringLiteral("biz_key"), JobColumn::Key},
                                                   {QStringLiteral("err"), JobColumn::Error}};
        std::set<QString> values;
        if (field == QLatin1String("topic") || field == QLatin1String("queue")) {
            for (const auto& topic : sidebar_->topics()) {
                values.insert(QString::fromStdString(topic.topic));
            }
        } else if (const auto column = columns.find(field); column != columns.end()) {
            feed_.forEachLoaded([&](std::uint64_t, const JobRow& row) {
                if (values.size() < kMaxFieldValues) {
                    values.insert(fullTextOf(row, column->second, table_->jobs().times()));
                }
            });
        }
        values.erase(QString());
        return QStringList(values.begin(), values.end());
    });
}

void JobsPage::connectTable()
{
    connect(table_, &JobsTable::currentJobChanged, this, [this](const std::string& id) {
        currentJob_ = id;
        detail_->showJob(id);
        emit currentJobChanged(id);
    });
    connect(&table_->jobsSelection(), &JobsSelectionModel::jobsSelected, this, [this] {
        updateDisplay();
        emit selectionChanged();
    });
    selectionCheck_.setIdProvider([this] {
        auto ids = table_->selectedJobs().listedIds();
        std::set<std::string> loadedIds;
        feed_.forEachLoaded([&](std::uint64_t, const JobRow& row) { loadedIds.insert(row.id); });
        // The rows of a cursor view may be outdated: check them, too.
        std::erase_if(ids,
                      [&](const auto& id) { return feed_.ranked() && loadedIds.count(id) != 0; });
        return ids;
    });
    connect(&selectionCheck_, &SelectionCheck::checked, &table_->jobsSelection(),
            &JobsSelectionModel::reconcile);
    connect(table_, &JobsTable::sortOrderRequested, this, [this](bool descending) {
        changeView([&](JobsView& view) { view.descending = descending; });
    });
    connect(table_, &JobsTable::ticked, detail_, &JobDetail::tick);
    connect(table_, &JobsTable::findRequested, this, &JobsPage::focusFind);
    connect(table_, &JobsTable::doubleClicked, this, &JobsPage::openCurrent);
    connect(table_, &JobsTable::rowsAddedAbove, this,
            [this](std::int64_t rows) { newAbove_ += rows; });
    connect(selectionBar_, &SelectionBar::selectAllRequested, &table_->jobsSelection(),
            &JobsSelectionModel::selectAllMatching);
    connect(selectionBar_, &SelectionBar::selectNoneRequested, &table_->jobsSelection(),
            &JobsSelectionModel::selectNone);
    connect(selectionBar_, &SelectionBar::newJobsRequested, this, [this] {
        newAbove_ > 0 ? table_->scrollToTop() : table_->scrollToBottom();
        seenTotal_ = feed_.total();
        newAbove_ = 0;
        countNewJobs();
    });
    connect(detail_, &JobDetail::jobRequested, this, &JobsPage::showJob);
    connect(detail_, &JobDetail::filterRequested, this,
            [this](const QString& term) { filterBar_->edit().addTerm(term); });
    connect(emptyPane_, &EmptyPane::pressed, this, [this](int button) {
        if (button < static_cast<int>(emptyPaneActions_.size())) {
            // The action may replace emptyPaneActions_: run a copy.
            const auto action = emptyPaneActions_[static_cast<std::size_t>(button)];
            action();
        }
    });
    auto* menus = new JobsMenus(context_, *table_, this);
    connect(menus, &JobsMenus::termRequested, this,
            [this](const QString& term) { filterBar_->edit().addTerm(term); });
    connect(menus, &JobsMenus::statusTextChanged, this, &Page::statusTextChanged);
}

void JobsPage::connectActions()
{
    auto& actions = context_.actions;
    const auto connectWhileVisible = [&](ActionId id, const std::function<void()>& handler) {
        connect(actions[id], &QAction::triggered, this, [this, handler] {
            if (isVisible()) {
                handler();
            }
        });
    };
    connectWhileVisible(ActionId::SelectAll, [this] { table_->jobsSelection().selectLoaded(); });
    connectWhileVisible(ActionId::SelectAllMatching,
                        [this] { table_->jobsSelection().selectAllMatching(); });
    connectWhileVisible(ActionId::ClearSelection, [this] { table_->jobsSelection().selectNone(); });
    connectWhileVisible(ActionId::Find, [this] { focusFind(); });
    connectWhileVisible(ActionId::ClearFilter, [this] { applyFilter({}); });
    connectWhileVisible(ActionId::OpenJob, [this] { openCurrent(); });
    connectWhileVisible(ActionId::OpenJobInWindow, [this] {
        if (const auto id = jobToOpen(); !id.empty()) {
            emit windowRequested(id);
        }
    });
    connectWhileVisible(ActionId::Columns, [this] {
        (new ColumnsDialog(*table_, context_.preferences, window()))->open();
    });
    auto* live = actions[ActionId::LiveUpdate];
    live->setChecked(context_.preferences.value(kLive, true).toBool());
    liveUpdate_.setOn(live->isChecked());
    connect(live, &QAction::toggled, this, [this](bool on) {
        liveUpdate_.setOn(on);
        context_.preferences.setValue(kLive, on);
    });
    connect(actions[ActionId::ToggleFilters], &QAction::toggled, this, [this](bool on) {
        sidebar_->setVisible(on);
        context_.preferences.setValue(kShowSidebar, on);
    });
    connect(actions[ActionId::ToggleDetail], &QAction::toggled, this, [this](bool on) {
        detail_->setVisible(on);
        context_.preferences.setValue(kShowDetail, on);
    });
    connect(actions[ActionId::DetailRight], &QAction::toggled, this, [this](bool right) {
        saveLayout();  // the sizes of the old orientation
        context_.preferences.setValue(kDetailRight, right);
        placeDetail();
    });
    // These keys work in the table only, so that Delete in the filter deletes a letter.
    for (const auto id : {ActionId::Trash, ActionId::DeletePermanently, ActionId::OpenJob,
                          ActionId::OpenJobInWindow, ActionId::ClearSelection}) {
        table_->addAction(actions[id]);
    }
}

void JobsPage::restoreLayout()
{
    auto& preferences = context_.preferences;
    if (!facetSplitter_->restoreState(preferences.layout(kFacetSplitterKey))) {
        const auto sidebarWidth = sidebar_->sizeHint().width();
        facetSplitter_->setSizes({sidebarWidth, std::max(sidebarWidth, width() - sidebarWidth)});
    }
    placeDetail();
    const auto restoreVisibility = [&](ActionId id, const QString& key, QWidget* part) {
        const bool on = preferences.value(key, true).toBool();
        context_.actions[id]->setChecked(on);
        part->setVisible(on);
    };
    restoreVisibility(ActionId::ToggleFilters, kShowSidebar, sidebar_);
    restoreVisibility(ActionId::ToggleDetail, kShowDetail, detail_);
}

/// Places the detail below or beside the table; the sizes of each are stored separately.
void JobsPage::placeDetail()
{
    const bool right = context_.preferences.value(kDetailRight, false).toBool();
    context_.actions[ActionId::DetailRight]->setChecked(right);
    if (!detailSplitter_->restoreState(
            context_.preferences.layout(right ? kDetailRightSizesKey : kDetailBelowSizesKey))) {
        detailSplitter_->setSizes(right ? QList<int>{500, 400} : QList<int>{300, 200});
    }
    // The restored state may contain another orientation.
    detailSplitter_->setOrientation(right ? Qt::Horizontal : Qt::Vertical);
}

void JobsPage::saveLayout()
{
    const bool right = detailSplitter_->orientation() == Qt::Horizontal;
    context_.preferences.setLayout(kFacetSplitterKey, facetSplitter_->saveState());
    context_.preferences.setLayout(right ? kDetailRightSizesKey : kDetailBelowSizesKey,
                                   detailSplitter_->saveState());
}

/// A single word may be the id or the biz key of a job. The store finds these without a scan, so
/// they are looked up first. A word in quotes is only searched as text.
void JobsPage::applyFilter(const JobFilter& filter)
{
    const auto applyView = [this](const JobFilter& newFilter) {
        changeView([&](JobsView& view) { view.filter = newFilter; });
    };
    cancelLookUp();
    const auto word = singleWord(QString::fromStdString(filter.text()));
    if (session_ == nullptr || word.isEmpty() || !filter.plan().scans) {
        return applyView(filter);
    }
    lookUpRequest_ = session_->source().show(
        word.toStdString(), {this, [this, word, filter, applyView](const Result<JobView>& view) {
                                 lookUpRequest_ = 0;
                                 const auto idFilter =
                                     JobFilter::parse(filterFor("id", word.toStdString()));
                                 view&& idFilter ? applyView(*idFilter) : lookUpKey(word, filter);
                             }});
}

void JobsPage::lookUpKey(const QString& word, const JobFilter& filter)
{
    const auto keyFilter = JobFilter::parse(filterFor("biz_key", word.toStdString()));
    if (!keyFilter || session_ == nullptr) {
        return changeView([&](JobsView& view) { view.filter = filter; });
    }
    ScanRequest request;
    request.view.filter = *keyFilter;
    request.limit = 1;
    request.bodyBytes = 0;
    lookUpRequest_ = session_->source().scan(
        request, {this, [this, filter, keyFilter = *keyFilter](const Result<ScanBatch>& batch) {
                      lookUpRequest_ = 0;
                      const bool isKey = batch && !batch->rows.empty();
                      changeView([&](JobsView& view) { view.filter = isKey ? keyFilter : filter; });
                  }});
}

/// Requests a retry of the view's jobs whose last error is `reason`.
void JobsPage::retryGroup(const std::string& reason, std::uint64_t jobs)
{
    if (session_ == nullptr) {
        return;
    }
    BulkRequest request;
    request.verb = BulkAction::Verb::RunNow;
    request.selection.all = true;
    request.selection.view = view_;
    request.selection.view.error = reason;
    request.selection.count = jobs;
    request.selection.exact = reasons_.exact();
    // `err:` matches substrings in any letter case: exclude the groups whose reason contains this
    // one. A reason that differs in its letter case alone cannot be excluded.
    const auto filter = view_.filter.text();
    auto narrowedFilter = filter.empty() ? std::string() : "(" + filter + ")";
    for (const auto& other : reasons_.reasons()) {
        if (other.text == reason ||
            lowered(other.text).find(lowered(reason)) == std::string::npos) {
            continue;
        }
        if (equalIgnoringCase(other.text, reason)) {
            request.selection.exact = false;
        } else {
            narrowedFilter += (narrowedFilter.empty() ? "-" : " -") + filterFor("err", other.text);
        }
    }
    if (const auto narrowed = JobFilter::parse(narrowedFilter)) {
        request.selection.view.filter = *narrowed;
    } else {
        request.selection.exact = false;  // the user is then asked first
    }
    request.selection.asOf = session_->source().now();
    request.reason = groupRetryReason(QString::fromStdString(reason)).toStdString();
    emit retryRequested(request);
}

void JobsPage::saveView()
{
    auto* dialog = nameDialog("saveViewDialog", tr("Keep this View"),
                              tr("Its name; a view of the same name is replaced:"),
                              QString::fromStdString(view_.filter.text()).left(60), window());
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& name) {
        if (!name.trimmed().isEmpty()) {
            savedViews_.save({name.trimmed(), view_});
        }
    });
    dialog->open();
}

void JobsPage::renameView(const QString& name)
{
    auto* dialog =
        nameDialog("renameViewDialog", tr("Rename View"), tr("Its new name:"), name, window());
    connect(dialog, &QInputDialog::textValueSelected, this, [this, name](const QString& to) {
        if (to.trimmed() != name && !savedViews_.rename(name, to)) {
            emit statusTextChanged(tr("There is a view of that name already."));
        }
    });
    dialog->open();
}

}  // namespace restante::gui
