#pragma once

#include "gui/actions/action_registry.h"
#include "gui/actions/context.h"
#include "gui/pages/page.h"
#include "gui/session/session.h"
#include "gui/shell/clock_watch.h"
#include "gui/shell/tool_actions.h"

#include <QMainWindow>

#include <memory>
#include <vector>

class QDockWidget;
class QLabel;
class QMenu;
class QStackedWidget;
class QTabBar;

namespace restante::gui {

class JobActions;
class JobWindows;
class JobsPage;
class SkewLabel;
class TaskBoard;

/// The window: menus, tool bar, banner, the pages and the status bar. It lays out and passes on;
/// what a page does is the page's own affair. *Thread of the window.*
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(Preferences& preferences, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Shows this store from now on; null closes the one that is open.
    void open(std::unique_ptr<Session> session);
    Session* session() noexcept { return session_.get(); }
    ActionRegistry& actions() noexcept { return actions_; }
    Context context() noexcept { return {actions_, preferences_}; }
    /// Which tab is in front, 0 - 3.
    void showPage(int index);
    Page* page(int index) const;
    /// What changes jobs, for pages that have buttons of their own.
    JobActions& jobActions() noexcept { return *jobActions_; }
    /// Preferences, keys, help, and the palette, which others add to.
    ToolActions& tools() noexcept { return *tools_; }

signals:
    void sessionChanged();

protected:
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    void addPage(Page* page, Act act);
    void buildMenus();
    void buildToolBar();
    void buildCentre();
    void buildPages();
    std::vector<PaletteEntry> savedViewEntries(JobsPage& jobs);
    void buildStatusBar();
    void buildTasks();
    bool askedBeforeItQuits();
    void connectActions();
    void retranslate();
    void showLink();
    void showBanner(const ConnectionProfile& profile, const LinkState& link);
    void updateActions();

    Preferences& preferences_;
    ActionRegistry actions_;
    std::unique_ptr<Session> session_;
    std::vector<Page*> pages_;
    std::vector<Act> pageActs_;
    std::vector<std::pair<QMenu*, Menu>> menus_;
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
    QLabel* toldLabel_ = nullptr;
    QLabel* modeLabel_ = nullptr;
    SkewLabel* skewLabel_ = nullptr;
    ClockWatch clocks_{this};
};

}  // namespace restante::gui
