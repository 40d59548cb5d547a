#pragma once

#include "gui/actions/action_registry.h"
#include "gui/actions/context.h"
#include "gui/pages/page.h"
#include "gui/session/daemon_watch.h"
#include "gui/session/store_session.h"
#include "gui/shell/clock_watch.h"
#include "gui/shell/tool_actions.h"

#include <QMainWindow>

#include <array>
#include <memory>
#include <vector>

class QDockWidget;
class QLabel;
class QMenu;
class QStackedWidget;
class QTabBar;

namespace restante::gui {

class AuditPage;
class JobActions;
class JobWindows;
class JobsPage;
class MonitorPage;
class QueuesPage;
class SkewLabel;
class TaskBoard;

/// The pages, in the order of their tabs.
enum class PageId { Jobs, Queues, Monitor, Audit };
inline constexpr std::array kPageIds{PageId::Jobs, PageId::Queues, PageId::Monitor, PageId::Audit};

/// The window: menus, tool bar, banner, the pages and the status bar. It lays out and passes on;
/// what a page does is the page's own affair. *Thread of the window.*
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(Preferences& preferences, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Shows this store from now on; null closes the one that is open.
    void open(std::unique_ptr<StoreSession> session);
    StoreSession* session() noexcept { return session_.get(); }
    ActionRegistry& actions() noexcept { return actions_; }
    Context context() noexcept { return {actions_, preferences_}; }
    /// Brings the page to the front, asks the store for it, and gives it the focus.
    void showPage(PageId id);
    Page& page(PageId id) const;
    JobsPage& jobs() const noexcept { return *jobs_; }
    QueuesPage& queues() const noexcept { return *queues_; }
    MonitorPage& monitor() const noexcept { return *monitor_; }
    AuditPage& audit() const noexcept { return *audit_; }
    /// Who works on the store that is open.
    DaemonWatch& daemons() noexcept { return daemons_; }
    /// What changes jobs, for pages that have buttons of their own.
    JobActions& jobActions() noexcept { return *jobActions_; }
    /// Preferences, keys, help, and the palette, which others add to.
    ToolActions& tools() noexcept { return *tools_; }

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    void leaveSession();
    /// In the order of PageId.
    void addPage(Page* page, ActionId act);
    /// The one in front; null = there is none yet.
    Page* shownPage() const;
    void buildMenus();
    void buildToolBar();
    void buildCentre();
    void buildPages();
    void connectPages();
    void showFilter(const QString& filter);
    void showJob(const std::string& id);
    std::vector<PaletteEntry> savedViewEntries();
    void buildStatusBar();
    void buildTasks();
    bool askedBeforeItQuits();
    void connectActions();
    void retranslate();
    void showLink();
    void showBanner(const ConnectionProfile& profile, const LinkState& link);
    /// That nobody delivers, or not all of it; empty = all is well, or nobody knows.
    QString daemonTrouble() const;
    void updateActions();

    Preferences& preferences_;
    ActionRegistry actions_;
    std::unique_ptr<StoreSession> session_;
    std::vector<Page*> pages_;        ///< by PageId
    std::vector<ActionId> pageActs_;  ///< by PageId
    JobsPage* jobs_ = nullptr;
    QueuesPage* queues_ = nullptr;
    MonitorPage* monitor_ = nullptr;
    AuditPage* audit_ = nullptr;
    std::vector<std::pair<QMenu*, const char*>> menus_;  ///< with its title
    TaskBoard* board_ = nullptr;
    JobActions* jobActions_ = nullptr;
    JobWindows* jobWindows_ = nullptr;
    ToolActions* tools_ = nullptr;
    QDockWidget* tasksDock_ = nullptr;
    bool quits_ = false;  ///< though tasks are running
    QTabBar* tabs_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    QLabel* banner_ = nullptr;
    QLabel* linkLabel_ = nullptr;
    QLabel* statusLabel_ = nullptr;
    QLabel* modeLabel_ = nullptr;
    SkewLabel* skewLabel_ = nullptr;
    ClockWatch clocks_{this};
    DaemonWatch daemons_{this};
};

}  // namespace restante::gui
