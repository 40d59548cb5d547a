#pragma once

#include "gui/shell/clock_watch.h"
#include "gui/shell/main_window.h"
#include "gui/shell/rail.h"
#include "tests/gui/support/page_object.h"
#include "tests/gui/support/wait.h"

#include <QDialog>
#include <QDockWidget>
#include <QLabel>
#include <QTableView>
#include <QToolBar>

#include <utility>

namespace restante::gui::test {

/// The commands that open a dialog over whatever page is shown, and the name of its window.
inline constexpr std::pair<ActionId, const char*> kToolDialogs[]{
    {ActionId::Preferences, "preferencesDialog"},
    {ActionId::Shortcuts, "shortcutsDialog"},
    {ActionId::CommandPalette, "commandPalette"},
    {ActionId::Help, "helpWindow"},
    {ActionId::About, "aboutDialog"}};

class MainWindowObject : public PageObject {
public:
    explicit MainWindowObject(MainWindow& window) : PageObject(&window), window_(&window) {}

    QLabel* banner() const { return named<QLabel>("banner"); }
    /// Of the status bar: how the connection is, what the page says, and what may be done.
    QLabel* link() const { return named<QLabel>("linkLabel"); }
    QLabel* status() const { return named<QLabel>("statusLabel"); }
    QLabel* mode() const { return named<QLabel>("modeLabel"); }
    QToolBar* toolBar() const { return named<QToolBar>("mainToolBar"); }
    Rail& rail() const { return window_->rail(); }
    /// The line of a page in the rail.
    RailButton& tab(PageId page) const { return window_->rail().button(page); }
    QDockWidget* tasks() const { return named<QDockWidget>("tasksDock"); }
    ClockWatch* clocks() const { return only<ClockWatch>(); }
    SkewLabel* skew() const { return only<SkewLabel>(); }
    /// Of one of the pages with rows of their own: topics, numbers, audit.
    QTableView* tableOf(PageId page) const
    {
        const auto& shown = window_->page(page);
        return required(shown.findChild<QTableView*>(), "table", shown.objectName());
    }

    QList<QDialog*> dialogs() const { return window_->findChildren<QDialog*>(); }
    /// The dialog of a command of kToolDialogs; null = it is not open.
    QDialog* dialog(ActionId act) const
    {
        for (const auto& [command, name] : kToolDialogs) {
            if (command == act) {
                return window_->findChild<QDialog*>(QString::fromLatin1(name));
            }
        }
        return nullptr;
    }
    /// Gives the command as a user would; its dialog.
    QDialog* opened(ActionId act) const
    {
        window_->actions()[act]->trigger();
        turn();
        return dialog(act);
    }

private:
    MainWindow* window_;
};

}  // namespace restante::gui::test
