#include "gui/shell/main_window.h"

#include "core/job/job_filter.h"
#include "gui/base/preferences.h"
#include "gui/commands/job_actions.h"
#include "gui/operations/daemon_texts.h"
#include "gui/operations/task_board.h"
#include "gui/pages/audit/audit_page.h"
#include "gui/pages/detail/job_detail.h"
#include "gui/pages/detail/job_windows.h"
#include "gui/pages/jobs/jobs_page.h"
#include "gui/pages/mailboxes/mailboxes_page.h"
#include "gui/pages/monitor/monitor_page.h"
#include "gui/pages/overview/overview_page.h"
#include "gui/pages/page_parts.h"
#include "gui/pages/reminders/reminders_page.h"
#include "gui/pages/topics/topics_page.h"
#include "gui/shell/alert_button.h"
#include "gui/shell/alert_center.h"
#include "gui/shell/alert_strip.h"
#include "gui/shell/clock_watch.h"
#include "gui/shell/rail.h"
#include "gui/tasks/task_strip.h"
#include "gui/tasks/tasks_panel.h"
#include "gui/theme/icons.h"
#include "gui/theme/saved_layout.h"
#include "gui/theme/theme.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

namespace restante::gui {

namespace {

/// Raised when a stored window layout would not fit the program any more.
constexpr int kLayoutVersion = 1;

/// In the menus a line is drawn above each of these.
constexpr ActionId kSeparatedActions[]{
    ActionId::Export,         ActionId::CloseWindow,   ActionId::Copy,
    ActionId::SelectAll,      ActionId::Find,          ActionId::Preferences,
    ActionId::ShowOverview,   ActionId::ToggleFilters, ActionId::ResetLayout,
    ActionId::ChartRange,     ActionId::RunNow,        ActionId::Trash,
    ActionId::DuplicateAsNew, ActionId::GoToJob,       ActionId::MuteAlerts,
    ActionId::About};

/// The size of the window where the screen is large enough.
constexpr QSize kDefaultSize(1'280, 800);
/// What a desktop draws around a window, as far as nobody can ask before it is shown.
constexpr QSize kFrameSize(8, 40);

/// The first window has the name that it had when there was one.
QString layoutKey(int number)
{
    return number == 1 ? QStringLiteral("window") : QStringLiteral("window%1").arg(number);
}

/// The user's own colour, with text that can be read on it: black or white, whichever is further
/// away (relative luminance of WCAG 2.1, where both are equally far at 0.179).
Tint bannerTint(const QColor& color)
{
    const auto linear = [](double channel) {
        return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    };
    const auto luminance = 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
                           0.0722 * linear(color.blueF());
    return {color, luminance > 0.179 ? QColor(Qt::black) : QColor(Qt::white)};
}

}  // namespace

MainWindow::MainWindow(Preferences& preferences, int number)
    : preferences_(preferences),
      number_(number)
{
    setObjectName(QStringLiteral("mainWindow"));
    resize(kDefaultSize.boundedTo(screen()->availableGeometry().size() - kFrameSize));
    buildMenus();
    buildToolBar();
    board_ = new TaskBoard(this);
    jobActions_ = new JobActions(context(), *board_, this);
    alerts_ = new AlertCenter(context(), this);
    // At the end of the menus, where it has its place in the narrowest window.
    menuBar()->setCornerWidget(alerts_->button(), Qt::TopRightCorner);
    buildStatusBar();  // before the pages, which write into it
    buildCentre();
    buildTasks();
    connectActions();
    onLanguageChange(this, [this] { retranslate(); });
    retranslate();
    new WindowStateSaver(*this, preferences_, layoutKey(number), kLayoutVersion);
    open(nullptr);
    showPage(PageId::Overview);
}

MainWindow::~MainWindow()
{
    openParts(nullptr);
}

void MainWindow::openParts(StoreSession* session)
{
    alerts_->watch().open(session);
    jobActions_->open(session);
    jobWindows_->open(session);
    for (const auto& [id, page] : pages_) {
        page->open(session);
    }
    daemons_.open(session);
    counts_.open(session);
}

void MainWindow::open(std::unique_ptr<StoreSession> session)
{
    openParts(nullptr);
    session_ = std::move(session);
    if (session_) {
        connect(&session_->backend(), &Backend::linkChanged, this, &MainWindow::showLink);
    }
    openParts(session_.get());
    showLink();
}

void MainWindow::addPage(const PageEntry& entry)
{
    auto* page = entry.make(context(), stack_);
    auto* showAction = actions_[entry.action];
    pages_.emplace(entry.id, page);
    stack_->addWidget(page);
    connect(page, &Page::selectionChanged, this, &MainWindow::updateActions);
    connect(page, &Page::statusTextChanged, this, [this, page](const QString& text) {
        if (stack_->currentWidget() == page) {
            statusLabel_->setText(text);
        }
    });
    connect(page, &Page::filterRequested, this, &MainWindow::showFilter);
    connect(page, &Page::jobRequested, this, &MainWindow::showJob);
    connect(page, &Page::countChanged, &rail_->button(entry.id), &RailButton::setCount);
    connect(showAction, &QAction::triggered, this, [this, id = entry.id] { showPage(id); });
}

template <class Kind>
Kind* MainWindow::pageOf() const
{
    for (const auto& [id, page] : pages_) {
        if (auto* found = qobject_cast<Kind*>(page)) {
            return found;
        }
    }
    Q_UNREACHABLE();
}

Page* MainWindow::shownPage() const
{
    return qobject_cast<Page*>(stack_->currentWidget());
}

void MainWindow::showPage(PageId id)
{
    auto& shown = page(id);
    shown_ = id;
    rail_->setCurrentPage(id);
    stack_->setCurrentWidget(&shown);
    for (const auto& entry : pageTable()) {
        actions_[entry.action]->setChecked(entry.id == id);
    }
    shown.refresh();
    shown.firstFocus()->setFocus();
    updateActions();
}

void MainWindow::buildMenus()
{
    for (const auto& [id, title] :
         {std::pair{Menu::File, QT_TR_NOOP("&File")}, std::pair{Menu::Edit, QT_TR_NOOP("&Edit")},
          std::pair{Menu::View, QT_TR_NOOP("&View")}, std::pair{Menu::Job, QT_TR_NOOP("&Job")},
          std::pair{Menu::Topic, QT_TR_NOOP("To&pic")},
          std::pair{Menu::Tools, QT_TR_NOOP("&Tools")},
          std::pair{Menu::Window, QT_TR_NOOP("&Window")},
          std::pair{Menu::Help, QT_TR_NOOP("&Help")}}) {
        auto* menu = menuBar()->addMenu(QString());
        for (auto* action : actions_.of(id)) {
            if (std::any_of(std::begin(kSeparatedActions), std::end(kSeparatedActions),
                            [&](ActionId separated) { return actions_[separated] == action; })) {
                menu->addSeparator();
            }
            menu->addAction(action);
        }
        menus_.emplace_back(menu, title);
        if (id == Menu::Window) {
            windowMenu_ = menu;
        }
    }
    // Shortcuts of the window work without the menu, too.
    for (auto* action : actions_.all()) {
        if (action->shortcutContext() != Qt::WidgetShortcut) {
            addAction(action);
        }
    }
}

void MainWindow::buildToolBar()
{
    auto* bar = addToolBar(QString());
    bar->setObjectName(QStringLiteral("mainToolBar"));
    bar->setMovable(false);
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    const auto group = [&](std::initializer_list<ActionId> ids) {
        if (!bar->actions().isEmpty()) {
            bar->addSeparator();
        }
        for (const auto id : ids) {
            bar->addAction(actions_[id]);
        }
    };
    group({ActionId::SwitchConnection});
    group({ActionId::Refresh, ActionId::LiveUpdate});
    group({ActionId::RunNow, ActionId::Reschedule, ActionId::Restore, ActionId::Trash});
    group({ActionId::CommandPalette});
}

void MainWindow::buildCentre()
{
    auto* root = new QWidget(this);
    auto* row = new QHBoxLayout(root);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    rail_ = new Rail(root);
    rail_->setConnectAction(actions_[ActionId::SwitchConnection]);
    // Tab goes through everything in the order in which it is made.
    for (const auto& entry : pageTable()) {
        rail_->addPage(entry.id, actions_[entry.action]);
    }
    auto* line = new QFrame(root);
    line->setFrameShape(QFrame::VLine);
    line->setForegroundRole(QPalette::Mid);
    line->setFrameShadow(QFrame::Plain);
    auto* centre = new QWidget(root);
    row->addWidget(rail_);
    row->addWidget(line);
    row->addWidget(centre, 1);
    auto* column = tightVBoxLayout(centre);
    banner_ = makeWidget<QLabel>("banner", centre);
    banner_->setTextFormat(Qt::PlainText);
    banner_->setAutoFillBackground(true);
    banner_->setWordWrap(true);
    banner_->setMargin(6);
    stack_ = new QStackedWidget(centre);
    column->addWidget(banner_);
    column->addWidget(alerts_->strip());
    column->addWidget(stack_, 1);
    buildPages();
    auto* strip = new TaskStrip(*board_, *jobActions_, centre);
    column->addWidget(strip);
    connect(strip, &TaskStrip::detailsRequested, this, [this] {
        tasksDock_->show();
        tasksDock_->raise();
    });
    setCentralWidget(root);
    connectPages();
}

void MainWindow::buildPages()
{
    for (const auto& entry : pageTable()) {
        addPage(entry);
    }
    overview_ = pageOf<OverviewPage>();
    mailboxes_ = pageOf<MailboxesPage>();
    jobs_ = pageOf<JobsPage>();
    reminders_ = pageOf<RemindersPage>();
    topics_ = pageOf<TopicsPage>();
    monitor_ = pageOf<MonitorPage>();
    audit_ = pageOf<AuditPage>();
    jobWindows_ = new JobWindows(context(), this);
    tools_ = new ToolActions(context(), this);
}

void MainWindow::connectPages()
{
    connect(jobs_, &JobsPage::windowRequested, jobWindows_, &JobWindows::showJob);
    connect(jobWindows_, &JobWindows::filterRequested, this, &MainWindow::showFilter);
    const auto startAction = [this](BulkAction::Verb verb, const Selection& selection) {
        jobActions_->start(verb, selection);
    };
    connect(&jobs_->detail(), &JobDetail::actionRequested, this, startAction);
    connect(overview_, &OverviewPage::retryRequested, jobActions_, &JobActions::startAtOnce);
    connect(jobs_, &JobsPage::retryRequested, jobActions_, &JobActions::startAtOnce);
    connect(mailboxes_, &MailboxesPage::actionRequested, this, startAction);
    connect(mailboxes_, &MailboxesPage::writeRequested, jobActions_, &JobActions::newMessageTo);
    connect(overview_, &OverviewPage::mailboxesRequested, this,
            [this] { showPage(PageId::Mailboxes); });
    connect(overview_, &OverviewPage::personRequested, this, [this](const std::string& recipient) {
        showPage(PageId::Mailboxes);
        mailboxes_->showPerson(recipient);
    });
    connect(overview_, &OverviewPage::topicsRequested, this, [this] { showPage(PageId::Topics); });
    connect(jobWindows_, &JobWindows::actionRequested, this, startAction);
    connectReminders();
    connectAlerts();
    tools_->addToPalette([this] { return savedViewEntries(); });
    connect(tools_, &ToolActions::filterRequested, this, &MainWindow::showFilter);
    connect(topics_, &TopicsPage::limitsRequested, this,
            [this](const std::string& topic, const TopicLimits& before, const TopicLimits& after) {
                jobActions_->limitTopic(topic, {before, after});
            });
    connect(jobActions_, &JobActions::limitsRefused, topics_, &TopicsPage::showRefusedLimits);
    connect(topics_, &TopicsPage::chartRequested, this, [this](const QString& topic) {
        monitor_->showTopic(topic);
        showPage(PageId::Monitor);
    });
}

void MainWindow::connectReminders()
{
    connect(reminders_, &RemindersPage::bulkRequested, this,
            [this](const BulkRequest& request) { jobActions_->start(request); });
    connect(reminders_, &RemindersPage::editRequested, jobActions_, &JobActions::editSeries);
    connect(reminders_, &RemindersPage::newSeriesRequested, jobActions_,
            &JobActions::newRecurringReminder);
    connect(&jobs_->detail(), &JobDetail::seriesRequested, this, &MainWindow::showSeries);
    connect(jobWindows_, &JobWindows::seriesRequested, this, &MainWindow::showSeries);
    connect(jobActions_, &JobActions::seriesRequested, this,
            [this](const QString& id) { showSeries(id.toStdString()); });
}

void MainWindow::connectAlerts()
{
    connect(monitor_, &MonitorPage::sampled, &alerts_->watch(), &AlertWatch::addSample);
    connect(alerts_, &AlertCenter::targetRequested, this, &MainWindow::showAlertTarget);
    connect(alerts_, &AlertCenter::windowRequested, this, &MainWindow::bringToFront);
}

/// The page that mends what an alert is about.
void MainWindow::showAlertTarget(AlertTarget target)
{
    JobsView view;
    switch (target) {
    case AlertTarget::Overview: return showPage(PageId::Overview);
    case AlertTarget::Monitor: return showPage(PageId::Monitor);
    case AlertTarget::DeadJobs: return showFilter(QStringLiteral("state:dead"));
    case AlertTarget::RetryingJobs:
        view.states = {JobState::Scheduled, JobState::Ready};
        view.retrying = true;
        showPage(PageId::Jobs);
        return jobs_->showView(view);
    }
}

void MainWindow::showSeries(const std::string& id)
{
    showPage(PageId::Reminders);
    reminders_->showSeries(id);
}

bool MainWindow::isLoaded() const
{
    const auto& feed = jobs_->feed();
    const bool isJobs = shown_ == PageId::Jobs;
    return session_ != nullptr && session_->link().phase == LinkState::Phase::Ready &&
           daemons_.isKnown() && counts_.counts() && page(shown_).isLoaded() &&
           (!isJobs || (feed.answered() && !feed.busy() && !jobs_->counter().isPending()));
}

void MainWindow::showFilter(const QString& filter)
{
    showPage(PageId::Jobs);
    jobs_->showFilter(filter);
}

void MainWindow::showJob(const std::string& id)
{
    showFilter(QString::fromStdString(filterFor("id", id)));
}

std::vector<PaletteEntry> MainWindow::savedViewEntries()
{
    std::vector<PaletteEntry> entries;
    for (const auto& saved : jobs_->savedViews().all()) {
        entries.push_back({saved.name, tr("saved view"), icon(QStringLiteral("star")),
                           session_ != nullptr, [this, view = saved.view] {
                               showPage(PageId::Jobs);
                               jobs_->showView(view);
                           }});
    }
    return entries;
}

void MainWindow::buildStatusBar()
{
    linkLabel_ = makeWidget<QLabel>("linkLabel", this);
    statusLabel_ = makeWidget<QLabel>("statusLabel", this);
    modeLabel_ = makeWidget<QLabel>("modeLabel", this);
    for (auto* label : {linkLabel_, statusLabel_, modeLabel_}) {
        label->setTextFormat(Qt::PlainText);
        const auto letter = fontMetrics().averageCharWidth();
        label->setContentsMargins(letter, 0, letter, 0);
    }
    statusBar()->addWidget(linkLabel_);
    statusBar()->addWidget(statusLabel_, 1);
    skewLabel_ = new SkewLabel(this);
    statusBar()->addPermanentWidget(skewLabel_);
    statusBar()->addPermanentWidget(modeLabel_);
}

void MainWindow::buildTasks()
{
    tasksDock_ = makeWidget<QDockWidget>("tasksDock", this);
    tasksDock_->setWidget(new TasksPanel(*board_, *jobActions_, tasksDock_));
    addDockWidget(Qt::BottomDockWidgetArea, tasksDock_);
    tasksDock_->hide();
    auto* action = actions_[ActionId::ShowTasks];
    connect(action, &QAction::triggered, tasksDock_, &QWidget::setVisible);
    connect(tasksDock_, &QDockWidget::visibilityChanged, action,
            [this, action] { action->setChecked(!tasksDock_->isHidden()); });
    jobActions_->setPage([this] { return shownPage(); });
    connect(jobActions_, &JobActions::stepsChanged, this, &MainWindow::updateActions);
    connect(jobActions_, &JobActions::statusTextChanged, this, &MainWindow::showStatusMessage);
    connect(jobActions_, &JobActions::jobRequested, this,
            [this](const QString& id) { showJob(id.toStdString()); });
}

void MainWindow::connectActions()
{
    connect(&daemons_, &DaemonWatch::changed, this, [this] {
        if (session_) {
            showBanner(session_->profile(), session_->link());
        }
        showDaemons();
    });
    connect(&counts_, &CountWatch::changed, this, &MainWindow::showCounts);
    auto* live = actions_[ActionId::LiveUpdate];
    counts_.setLive(live->isChecked());
    connect(live, &QAction::toggled, this, [this](bool on) { counts_.setLive(on); });
    // Every time that is shown is written anew, as when the zone is another one in the preferences.
    connect(&clocks_, &ClockWatch::changed, &preferences_, &Preferences::changed);
    connect(actions_[ActionId::CloseWindow], &QAction::triggered, this, &QWidget::close);
    connect(actions_[ActionId::Disconnect], &QAction::triggered, this, [this] { open(nullptr); });
    connect(actions_[ActionId::Refresh], &QAction::triggered, this, [this] {
        if (auto* shown = shownPage()) {
            shown->refreshNow();
        }
        counts_.refresh();
    });
    connect(actions_[ActionId::ResetLayout], &QAction::triggered, &preferences_,
            &Preferences::forgetLayouts);
}

void MainWindow::retranslate()
{
    actions_.retranslate();
    for (const auto& [menu, title] : menus_) {
        menu->setTitle(tr(title));
    }
    banner_->setAccessibleName(tr("Mode of the connection"));
    rail_->setAccessibleName(tr("Pages"));
    tasksDock_->setWindowTitle(tr("Tasks"));
    showLink();
}

void MainWindow::showLink()
{
    using Phase = LinkState::Phase;
    const auto title = tr("Restante Console");
    rail_->setConnection(session_ ? session_->profile().name : QString());
    if (!session_) {
        banner_->hide();
        linkLabel_->setText(tr("Not connected"));
        modeLabel_->clear();
        skewLabel_->setSkew({});
        setWindowTitle(title);
        updateActions();
        emit connectionChanged();
        return;
    }
    const auto& profile = session_->profile();
    const auto& link = session_->link();
    switch (link.phase) {
    case Phase::Connecting: linkLabel_->setText(link.step); break;
    case Phase::Ready:
        linkLabel_->setText(link.latencyMs < 0
                                ? link.server
                                : tr("%1, %2 ms").arg(link.server).arg(link.latencyMs));
        break;
    case Phase::Lost: linkLabel_->setText(tr("Connection lost")); break;
    case Phase::Failed: linkLabel_->setText(tr("Not connected")); break;
    case Phase::Closed: linkLabel_->setText(tr("Closed")); break;
    }
    showBanner(profile, link);
    skewLabel_->setSkew(link.phase == Phase::Ready ? link.skew : Millis{0});
    const bool isReadOnly = profile.mode == AccessMode::ReadOnly || !link.writable;
    const auto mode = isReadOnly ? tr("read-only") : tr("read and write");
    // Without a connection nothing can be read or written.
    modeLabel_->setText(link.phase == Phase::Ready ? tr("%1, %2").arg(profile.name, mode)
                                                   : profile.name);
    const bool isReadOnlyProfile = profile.mode == AccessMode::ReadOnly;
    setWindowTitle(tr("%1 - %2").arg(
        isReadOnlyProfile ? tr("%1 (read-only)").arg(profile.name) : profile.name, title));
    updateActions();
    emit connectionChanged();
}

void MainWindow::showBanner(const ConnectionProfile& profile, const LinkState& link)
{
    using Phase = LinkState::Phase;
    const auto show = [this](const QString& text, const Tint& tint) {
        banner_->setText(text);
        applyTint(*banner_, tint);
        banner_->setVisible(!text.isEmpty());
    };
    const auto ownTint =
        profile.color.isValid() ? std::optional(bannerTint(profile.color)) : std::nullopt;
    if (link.phase == Phase::Lost && link.retryInMs > 0) {
        const auto seconds = (link.retryInMs + 999) / 1'000;
        show(tr("%1 Trying again in %n second(s).", "", seconds).arg(link.problem),
             Theme::tint(Theme::Severity::Bad));
    } else if (link.phase == Phase::Lost || link.phase == Phase::Failed) {
        show(link.problem, Theme::tint(Theme::Severity::Bad));
    } else if (!link.whyNotServed.isEmpty()) {
        show(link.whyNotServed, Theme::tint(Theme::Severity::Bad));
    } else if (const auto problem = daemonProblem(); !problem.isEmpty()) {
        show(problem, Theme::tint(Theme::Severity::Bad));
    } else if (profile.mode == AccessMode::Production) {
        show(tr("PRODUCTION: writes to many jobs need confirmation"),
             ownTint.value_or(Theme::tint(Theme::Severity::Warning)));
    } else if (profile.mode == AccessMode::ReadOnly) {
        show(tr("Read-only: nothing can be changed"),
             ownTint.value_or(Theme::tint(Theme::Severity::Notice)));
    } else if (!link.writable) {
        show(link.whyNotWritable, Theme::tint(Theme::Severity::Notice));
    } else {
        show(ownTint ? profile.name : QString(), ownTint.value_or(Tint{}));
    }
}

void MainWindow::showDaemons()
{
    const auto daemons = daemons_.isKnown() ? std::optional(daemons_.daemons()) : std::nullopt;
    alerts_->watch().setDaemons(daemons);
    rail_->setDaemons(daemons, session_ ? session_->source().now() : TimePoint{});
    overview_->setDaemons(daemons);
}

/// The other pages emit countChanged() themselves.
void MainWindow::showCounts()
{
    const auto& counts = counts_.counts();
    const auto show = [&](PageId id, std::uint64_t CountWatch::Counts::*count) {
        if (pages_.contains(id)) {
            rail_->button(id).setCount(counts ? std::optional(*counts.*count) : std::nullopt);
        }
    };
    show(PageId::Mailboxes, &CountWatch::Counts::mailboxes);
    show(PageId::Jobs, &CountWatch::Counts::jobs);
    show(PageId::Topics, &CountWatch::Counts::topics);
    rail_->button(PageId::Reminders).setCount(counts ? counts->reminders : std::nullopt);
}

QString MainWindow::daemonProblem() const
{
    if (!daemons_.isKnown()) {
        return {};
    }
    const auto nobody = nobodyDeliversText(daemons_.daemons(), session_->source().now());
    return nobody.isEmpty() ? hangingText(daemons_.daemons()) : nobody;
}

void MainWindow::updateActions()
{
    ConnectionCaps caps;
    SelectionSummary selection;
    if (session_) {
        caps.connected = session_->link().phase == LinkState::Phase::Ready;
        caps.writeRefusal = session_->commands().refusal();
    }
    if (auto* shown = shownPage()) {
        selection = shown->selection();
    }
    if (const auto* step = jobActions_->steps().undoable()) {
        caps.undo = step->title;
    }
    if (const auto* step = jobActions_->steps().redoable()) {
        caps.redo = step->title;
    }
    caps.isStepRunning = jobActions_->isStepRunning();
    caps.hasOtherWindows = windows_.size() > 1;
    actions_.update(selection, caps);
}

void MainWindow::setWindows(const std::vector<WindowEntry>& windows)
{
    windows_ = windows;
    buildWindowMenu();
    updateActions();
}

/// The entries behind those that are always there.
void MainWindow::buildWindowMenu()
{
    const auto permanent = actions_.of(Menu::Window);
    for (auto* action : windowMenu_->actions()) {
        if (std::find(permanent.begin(), permanent.end(), action) == permanent.end()) {
            windowMenu_->removeAction(action);
            action->deleteLater();
        }
    }
    if (!windows_.empty()) {
        windowMenu_->addSeparator();
    }
    int number = 0;
    for (const auto& window : windows_) {
        ++number;
        const auto mnemonic = number < 10 ? QStringLiteral("&%1 ").arg(number) : QString();
        auto title = window.title;
        auto* action = windowMenu_->addAction(mnemonic + title.replace(u'&', QStringLiteral("&&")));
        action->setObjectName(QStringLiteral("window%1").arg(number));
        action->setCheckable(true);
        action->setChecked(window.isThis);
        action->setIcon(colorChip(window.color));
        connect(action, &QAction::triggered, this, [this, at = number - 1] {
            // The menu is built anew by what happens then: nothing of the action may be needed.
            const auto raise = windows_.at(static_cast<std::size_t>(at)).raise;
            raise();
            buildWindowMenu();  // the click has taken the mark away from where it belongs
        });
    }
}

void MainWindow::bringToFront()
{
    setWindowState(windowState() & ~Qt::WindowMinimized);
    show();
    raise();
    activateWindow();
}

void MainWindow::showStatusMessage(const QString& text)
{
    constexpr int kReadMs = 10'000;
    statusBar()->showMessage(text, kReadMs);
}

bool MainWindow::hasLayout() const
{
    return !preferences_.layout(layoutKey(number_) + QStringLiteral("/geometry")).isEmpty();
}

void MainWindow::confirmStop(const QString& title,
                             const QString& button,
                             const QString& question,
                             const QString& details,
                             std::function<void()> onConfirmed)
{
    if (auto* openDialog = findChild<QMessageBox*>(QStringLiteral("quitDialog"))) {
        openDialog->close();
    }
    auto* box = makeWidget<QMessageBox>("quitDialog", QMessageBox::Question, title, question,
                                        QMessageBox::Cancel, this);
    box->setTextFormat(Qt::PlainText);
    const auto promise = tr("What has been done stays done; the rest is left as it is.");
    box->setInformativeText(details.isEmpty() ? promise : details + u'\n' + promise);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setDefaultButton(QMessageBox::Cancel);
    auto* stop = box->addButton(button, QMessageBox::AcceptRole);
    connect(stop, &QPushButton::clicked, this, std::move(onConfirmed));
    box->open();
}

/// Returns true when the user was asked instead.
bool MainWindow::askBeforeClosing()
{
    const auto running = board_->runningCount();
    if (running == 0 || closesWithoutAsking_) {
        return false;
    }
    confirmStop(tr("Close Window"), tr("&Close Anyway"),
                tr("%n task(s) are running and will be stopped.", "", running), {},
                [this] { closeWithoutAsking(); });
    return true;
}

void MainWindow::closeWithoutAsking()
{
    closesWithoutAsking_ = true;
    close();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (askBeforeClosing()) {
        return event->ignore();
    }
    QMainWindow::closeEvent(event);
    emit closed();
}

}  // namespace restante::gui
