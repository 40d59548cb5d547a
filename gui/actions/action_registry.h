#pragma once

#include "gui/actions/selection_summary.h"

#include <QAction>
#include <QObject>
#include <QString>

#include <array>
#include <cstddef>
#include <vector>

class QMenu;

namespace restante::gui {

/// Every command of the console, in the order of its menus.
enum class ActionId {
    // File
    NewWindow,
    NewConnection,
    SwitchConnection,
    Disconnect,
    Export,
    ExportChart,
    Import,
    CloseWindow,
    Quit,
    // Edit
    Undo,
    Redo,
    Copy,
    CopyAsJson,
    CopyId,
    SelectAll,
    SelectAllMatching,
    ClearSelection,
    Find,
    FindNext,
    FindPrevious,
    ClearFilter,
    Preferences,
    // View
    Refresh,
    LiveUpdate,
    ShowOverview,
    ShowMailboxes,
    ShowJobs,
    ShowReminders,
    ShowTopics,
    ShowMonitor,
    ShowAudit,
    ShowTasks,
    ShowAlerts,
    ToggleFilters,
    ToggleDetail,
    DetailRight,
    Columns,
    ResetLayout,
    ChartRange,
    ResetZoom,
    ChartMarks,
    // Job
    OpenJob,
    OpenJobInWindow,
    RunNow,
    Reschedule,
    Hold,
    Restore,
    Trash,
    DeletePermanently,
    DuplicateAsNew,
    NewJob,
    NewReminder,
    TestMessage,
    GoToJob,
    // Topic
    PauseTopic,
    // Tools
    CommandPalette,
    MuteAlerts,
    AlertRules,
    // Window
    DuplicateWindow,
    NextWindow,
    // Help
    Help,
    Shortcuts,
    About,
    Count_
};

enum class Menu { File, Edit, View, Job, Topic, Tools, Window, Help };

/// What the connection allows at the moment. *Value.*
struct ConnectionCaps {
    bool connected = false;    ///< reads are answered
    QString whyNoWrites = {};  ///< JobCommands::refusal(); empty = writes are allowed
    QString undo = {};  ///< what Undo takes back, "Move 12 jobs to the trash"; empty = nothing
    QString redo = {};
    bool otherWindows = false;  ///< of the console: there is one to go to
};

/// Owns every command of the console as one QAction: menus, tool bar, context menus, palette and
/// tests take it from here, and here alone is decided which of them can be used. *Thread of the
/// window.*
class ActionRegistry : public QObject {
    Q_OBJECT

public:
    explicit ActionRegistry(QObject* parent = nullptr);

    QAction* operator[](ActionId act) const { return actions_[static_cast<std::size_t>(act)]; }
    /// "actionRunNow"; none for other names.
    QAction* named(const QString& objectName) const;
    std::vector<QAction*> all() const { return {actions_.begin(), actions_.end()}; }
    std::vector<QAction*> of(Menu menu) const;

    /// Enables what can be done with what is selected; what cannot says why in its tool tip.
    void update(const SelectionSummary& selection, const ConnectionCaps& caps);
    /// Sets all texts anew, after the language has changed.
    void retranslate();

private:
    void showTopicState(const SelectionSummary& selection);
    void enable(ActionId act, bool on, const QString& why);

    std::array<QAction*, static_cast<std::size_t>(ActionId::Count_)> actions_{};
};

}  // namespace restante::gui
