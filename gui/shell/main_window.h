#pragma once

#include "gui/actions/action_registry.h"
#include "gui/actions/context.h"
#include "gui/operations/alert_texts.h"
#include "gui/pages/page.h"
#include "gui/session/count_watch.h"
#include "gui/session/daemon_watch.h"
#include "gui/session/store_session.h"
#include "gui/shell/clock_watch.h"
#include "gui/shell/page_table.h"
#include "gui/shell/tool_actions.h"

#include <QColor>
#include <QMainWindow>

#include <functional>
#include <map>
#include <memory>
#include <vector>

class QDockWidget;
class QLabel;
class QMenu;
class QStackedWidget;

namespace restante::gui {

class AlertCenter;
class AuditPage;
class JobActions;
class JobWindows;
class JobsPage;
class MailboxesPage;
class MonitorPage;
class OverviewPage;
class RemindersPage;
class TopicsPage;
class Rail;
class SkewLabel;
class TaskBoard;

/// The window: menus, tool bar, the rail, banner, one page and the status bar. It only lays out and
/// connects; the pages implement their functions. *Thread of the window.*
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// `number` is its number among the windows of the console: each has a layout of its own.
    explicit MainWindow(Preferences& preferences, int number = 1);
    ~MainWindow() override;

    /// Shows this store from now on; null closes the one that is open.
    void open(std::unique_ptr<StoreSession> session);
    StoreSession* session() noexcept { return session_.get(); }
    ActionRegistry& actions() noexcept { return actions_; }
    Context context() noexcept { return {actions_, preferences_}; }
    /// Brings the page to the front, asks the store for it, and gives it the focus.
    void showPage(PageId id);
    /// One of pageTable().
    Page& page(PageId id) const { return *pages_.at(id); }
    PageId shownId() const noexcept { return shown_; }
    /// The page, the rail beside it and what is known of the daemons are those of the store as it
    /// is now.
    bool isLoaded() const;
    Rail& rail() const noexcept { return *rail_; }
    OverviewPage& overview() const noexcept { return *overview_; }
    MailboxesPage& mailboxes() const noexcept { return *mailboxes_; }
    JobsPage& jobs() const noexcept { return *jobs_; }
    TopicsPage& topics() const noexcept { return *topics_; }
    MonitorPage& monitor() const noexcept { return *monitor_; }
    AuditPage& audit() const noexcept { return *audit_; }
    /// Who works on the store that is open.
    DaemonWatch& daemons() noexcept { return daemons_; }
    AlertCenter& alerts() noexcept { return *alerts_; }
    /// What changes jobs, for pages that have buttons of their own.
    JobActions& jobActions() noexcept { return *jobActions_; }
    /// Preferences, keys, help, and the palette, which others add to.
    ToolActions& tools() noexcept { return *tools_; }
    TaskBoard& board() noexcept { return *board_; }
    int number() const noexcept { return number_; }

    /// One of the windows of the console, for the menu that lists them. *Value.*
    struct WindowEntry {
        QString title;
        QColor color;  ///< of its connection; invalid = none
        bool isThis = false;
        std::function<void()> raise;
    };
    void setWindows(const std::vector<WindowEntry>& windows);
    /// Asks before running tasks are stopped, of this window or of others: `onConfirmed` is called
    /// when the user agrees.
    void confirmStop(const QString& title,
                     const QString& button,
                     const QString& question,
                     const QString& details,
                     std::function<void()> onConfirmed);
    /// Closes the window without asking, even while tasks run.
    void closeWithoutAsking();
    /// Raises and activates the window.
    void bringToFront();
    /// A sentence in the status bar.
    void showStatusMessage(const QString& text);
    /// Whether a layout is saved under its number.
    bool hasLayout() const;

signals:
    /// The window was closed.
    void closed();
    /// Another store, or another state of its connection; the title has changed, too.
    void connectionChanged();

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    /// Gives the session to all parts; null = none.
    void openParts(StoreSession* session);
    void addPage(const PageEntry& entry);
    /// The page of that class; it must be in the table.
    template <class Kind>
    Kind* pageOf() const;
    /// The one in front; null = there is none yet.
    Page* shownPage() const;
    void buildMenus();
    void buildToolBar();
    void buildCentre();
    void buildPages();
    void connectPages();
    void connectReminders();
    void connectAlerts();
    void showAlertTarget(AlertTarget target);
    void showDaemons();
    void showCounts();
    void showFilter(const QString& filter);
    void showJob(const std::string& id);
    void showSeries(const std::string& id);
    std::vector<PaletteEntry> savedViewEntries();
    void buildStatusBar();
    void buildTasks();
    bool askBeforeClosing();
    void buildWindowMenu();
    void connectActions();
    void retranslate();
    void showLink();
    void showBanner(const ConnectionProfile& profile, const LinkState& link);
    /// That nobody delivers, or not all of it; empty = all is well, or nobody knows.
    QString daemonProblem() const;
    void updateActions();

    Preferences& preferences_;
    ActionRegistry actions_;
    std::unique_ptr<StoreSession> session_;
    std::map<PageId, Page*> pages_;
    PageId shown_ = PageId::Overview;
    OverviewPage* overview_ = nullptr;
    MailboxesPage* mailboxes_ = nullptr;
    JobsPage* jobs_ = nullptr;
    RemindersPage* reminders_ = nullptr;
    TopicsPage* topics_ = nullptr;
    MonitorPage* monitor_ = nullptr;
    AuditPage* audit_ = nullptr;
    std::vector<std::pair<QMenu*, const char*>> menus_;  ///< with its title
    TaskBoard* board_ = nullptr;
    JobActions* jobActions_ = nullptr;
    JobWindows* jobWindows_ = nullptr;
    ToolActions* tools_ = nullptr;
    AlertCenter* alerts_ = nullptr;
    QDockWidget* tasksDock_ = nullptr;
    int number_;
    QMenu* windowMenu_ = nullptr;
    std::vector<WindowEntry> windows_;
    bool closesWithoutAsking_ = false;  ///< though tasks are running
    Rail* rail_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    QLabel* banner_ = nullptr;
    QLabel* linkLabel_ = nullptr;
    QLabel* statusLabel_ = nullptr;
    QLabel* modeLabel_ = nullptr;
    SkewLabel* skewLabel_ = nullptr;
    ClockWatch clocks_{this};
    DaemonWatch daemons_{this};
    CountWatch counts_{this};
};

}  // namespace restante::gui
