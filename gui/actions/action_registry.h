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

/// What the connection and the windows allow now. *Value.*
struct ConnectionCaps {
    bool connected = false;  ///< the store answers reads
    QString writeRefusal =
        {};  ///< why writes are refused (JobCommands::refusal()); empty = allowed
    QString undo =
        {};  ///< title of the step that Undo reverts, "Move 12 jobs to the trash"; empty = none
    QString redo = {};
    bool isStepRunning = false;    ///< a step is being undone or redone; no other can begin
    bool hasOtherWindows = false;  ///< the console has another window to switch to
};

/// Owns one QAction for every command of the console, used by menus, tool bar, context menus,
/// palette and tests. It alone decides which of them are enabled. *Thread of the
/// window.*
class ActionRegistry : public QObject {
    Q_OBJECT

public:
    explicit ActionRegistry(QObject* parent = nullptr);

    QAction* operator[](ActionId id) const { return actions_[static_cast<std::size_t>(id)]; }
    /// The action of an object name such as "actionRunNow"; null for an unknown name.
    QAction* named(const QString& objectName) const;
    std::vector<QAction*> all() const { return {actions_.begin(), actions_.end()}; }
    std::vector<QAction*> of(Menu menu) const;

    /// Enables the actions that the selection and the connection allow; the tool tip of a disabled
    /// one says why.
    void update(const SelectionSummary& selection, const ConnectionCaps& caps);
    /// Sets all texts anew, after the language has changed.
    void retranslate();

private:
    void showHoldOrRelease(const SelectionSummary& selection);
    void showTopicState(const SelectionSummary& selection);
    void enable(ActionId id, bool on, const QString& refusal);

    std::array<QAction*, static_cast<std::size_t>(ActionId::Count_)> actions_{};
};

}  // namespace restante::gui
