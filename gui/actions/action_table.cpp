#include "gui/actions/action_table.h"

#include <QCoreApplication>
#include <QtGlobal>

#include <iterator>

namespace restante::gui {

namespace {

using E = ActionEntry;
using Verb = BulkAction::Verb;

struct Commands {
    Q_DECLARE_TR_FUNCTIONS(ActionRegistry)

public:
    // clang-format off: a table, whose columns are in the order of ActionEntry.
    static constexpr ActionEntry kTable[]{
        {ActionId::NewWindow, "actionNewWindow", Menu::File, QT_TR_NOOP("New &Window…"),
         QT_TR_NOOP("Open a store in a window of its own, beside this one"), "window-new",
         "Ctrl+Alt+N"},
        {ActionId::NewConnection, "actionNewConnection", Menu::File, QT_TR_NOOP("&New Connection…"),
         QT_TR_NOOP("Describe a store and connect to it"), "list-add", "Ctrl+N"},
        {ActionId::SwitchConnection, "actionSwitchConnection", Menu::File,
         QT_TR_NOOP("&Open Connection…"),
         QT_TR_NOOP("Choose among the connections, or change them"), "network-server", "Ctrl+O"},
        {ActionId::Disconnect, "actionDisconnect", Menu::File, QT_TR_NOOP("&Disconnect"),
         QT_TR_NOOP("Close this connection"), "network-disconnect", "Ctrl+Shift+W", E::Connection},
        {ActionId::Export, "actionExport", Menu::File, QT_TR_NOOP("&Export…"),
         QT_TR_NOOP("Write what is selected, or all that match, to a file"), "document-save-as",
         "Ctrl+Shift+E", E::Connection},
        {ActionId::ExportChart, "actionExportChart", Menu::File, QT_TR_NOOP("Export C&hart…"),
         QT_TR_NOOP("Write a chart of the monitor to a file, as a picture"), "image-export",
         "Ctrl+Alt+E", E::Connection},
        {ActionId::Import, "actionImport", Menu::File, QT_TR_NOOP("&Import…"),
         QT_TR_NOOP("Bring jobs back from a file"), "document-open", "Ctrl+Shift+I",
         E::Connection | E::Write},
        {ActionId::CloseWindow, "actionCloseWindow", Menu::File, QT_TR_NOOP("&Close Window"),
         QT_TR_NOOP("Close this window; the others stay"), "window-close", "Ctrl+W"},
        {ActionId::Quit, "actionQuit", Menu::File, QT_TR_NOOP("&Quit"),
         QT_TR_NOOP("Close all windows; it asks only when tasks are running"), "application-exit",
         "Ctrl+Q"},
        {ActionId::Undo, "actionUndo", Menu::Edit, QT_TR_NOOP("&Undo"),
         QT_TR_NOOP("Take the last step back"), "edit-undo", "Ctrl+Z", E::Connection | E::Write},
        {ActionId::Redo, "actionRedo", Menu::Edit, QT_TR_NOOP("&Redo"),
         QT_TR_NOOP("Do again what was undone"), "edit-redo", "Ctrl+Shift+Z",
         E::Connection | E::Write},
        {ActionId::Copy, "actionCopy", Menu::Edit, QT_TR_NOOP("&Copy"),
         QT_TR_NOOP("Copy the selected rows, separated by tabs"), "edit-copy", "Ctrl+C", E::Some},
        {ActionId::CopyAsJson, "actionCopyAsJson", Menu::Edit, QT_TR_NOOP("Copy as &JSON"),
         QT_TR_NOOP("Copy the selected rows as JSON"), "text-x-script", "Ctrl+Shift+C", E::Some},
        {ActionId::CopyId, "actionCopyId", Menu::Edit, QT_TR_NOOP("Copy &Id"),
         QT_TR_NOOP("Copy the ids of the selected jobs, one a line"), "tag", "Ctrl+Alt+C", E::Some},
        {ActionId::SelectAll, "actionSelectAll", Menu::Edit, QT_TR_NOOP("Select &All Rows"),
         QT_TR_NOOP("Select the rows that are loaded"), "edit-select-all", "Ctrl+A", E::Connection},
        {ActionId::SelectAllMatching, "actionSelectAllMatching", Menu::Edit,
         QT_TR_NOOP("Select All &Matching"),
         QT_TR_NOOP("Select every job that the filter matches, on screen or not"),
         "select-matching", "Ctrl+Shift+A", E::Connection},
        {ActionId::ClearSelection, "actionClearSelection", Menu::Edit, QT_TR_NOOP("Select &None"),
         QT_TR_NOOP("Clear the selection"), "edit-clear", "Esc", E::Some | E::OfWidget},
        {ActionId::Find, "actionFind", Menu::Edit, QT_TR_NOOP("&Find…"),
         QT_TR_NOOP("Go to the filter box, or search in the payload"), "edit-find", "Ctrl+F"},
        {ActionId::FindNext, "actionFindNext", Menu::Edit, QT_TR_NOOP("Find Ne&xt"),
         QT_TR_NOOP("The next place in the payload"), "go-down", "F3"},
        {ActionId::FindPrevious, "actionFindPrevious", Menu::Edit, QT_TR_NOOP("Find Pre&vious"),
         QT_TR_NOOP("The place before in the payload"), "go-up", "Shift+F3"},
        {ActionId::ClearFilter, "actionClearFilter", Menu::Edit, QT_TR_NOOP("C&lear Filter"),
         QT_TR_NOOP("Show every job of this state again"), "edit-clear-all", "Ctrl+Backspace",
         E::Connection},
        {ActionId::Preferences, "actionPreferences", Menu::Edit, QT_TR_NOOP("&Preferences…"),
         QT_TR_NOOP("Language, colours, times, confirmations"), "preferences-system", "Ctrl+,"},
        {ActionId::Refresh, "actionRefresh", Menu::View, QT_TR_NOOP("&Refresh"),
         QT_TR_NOOP("Ask the store again"), "view-refresh", "F5 Ctrl+R", E::Connection},
        {ActionId::LiveUpdate, "actionLiveUpdate", Menu::View, QT_TR_NOOP("&Live Update"),
         QT_TR_NOOP("Follow what happens in the store"), "media-record", "Ctrl+L",
         E::Connection | E::Checkable},
        {ActionId::ShowOverview, "actionShowOverview", Menu::View, QT_TR_NOOP("&Overview"),
         QT_TR_NOOP("Whether it delivers, what is stuck, and what to do about it"), "view-overview",
         "Alt+1", E::Checkable},
        {ActionId::ShowMailboxes, "actionShowMailboxes", Menu::View, QT_TR_NOOP("Mail&boxes"),
         QT_TR_NOOP("Recipients with what waits for them, and their devices"), "mail-mailboxes",
         "Alt+2", E::Checkable},
        {ActionId::ShowJobs, "actionShowJobs", Menu::View, QT_TR_NOOP("&Jobs"),
         QT_TR_NOOP("The table of jobs"), "view-list-details", "Alt+3", E::Checkable},
        {ActionId::ShowReminders, "actionShowReminders", Menu::View, QT_TR_NOOP("Remi&nders"),
         QT_TR_NOOP("Recurring reminders: to whom, how often, what, and when they come next"),
         "view-reminders", "Alt+4", E::Checkable},
        {ActionId::ShowTopics, "actionShowTopics", Menu::View, QT_TR_NOOP("To&pics"),
         QT_TR_NOOP("Topics, what waits in them and what holds them back"), "view-list-tree",
         "Alt+5", E::Checkable},
        {ActionId::ShowMonitor, "actionShowMonitor", Menu::View, QT_TR_NOOP("&Monitor"),
         QT_TR_NOOP("Rates, backlog and lateness over time"), "office-chart-line", "Alt+6",
         E::Checkable},
        {ActionId::ShowAudit, "actionShowAudit", Menu::View, QT_TR_NOOP("&Audit"),
         QT_TR_NOOP("Who changed what, when and why"), "document-history", "Alt+7", E::Checkable},
        {ActionId::ShowTasks, "actionShowTasks", Menu::View, QT_TR_NOOP("&Tasks"),
         QT_TR_NOOP("What is going on at length, with its progress and failures"), "view-task",
         "Alt+8", E::Checkable},
        {ActionId::ShowAlerts, "actionShowAlerts", Menu::View, QT_TR_NOOP("Al&erts"),
         QT_TR_NOOP("What fires now and what has, with where to mend it"), "notifications",
         "Alt+9"},
        {ActionId::ToggleFilters, "actionToggleFilters", Menu::View, QT_TR_NOOP("&Sidebar"),
         QT_TR_NOOP("Show or hide states, kinds, topics and saved views"), "view-sidetree", "F9",
         E::Checkable},
        {ActionId::ToggleDetail, "actionToggleDetail", Menu::View, QT_TR_NOOP("&Detail"),
         QT_TR_NOOP("Show or hide what is known about the current job"), "view-split-top-bottom",
         "Ctrl+I", E::Checkable},
        {ActionId::DetailRight, "actionDetailRight", Menu::View, QT_TR_NOOP("Detail on the Ri&ght"),
         QT_TR_NOOP("Show the current job beside the table, not below it"), "view-split-left-right",
         "Ctrl+Alt+I", E::Checkable},
        {ActionId::Columns, "actionColumns", Menu::View, QT_TR_NOOP("&Columns…"),
         QT_TR_NOOP("Choose and order the columns of the table"), "view-column", "Ctrl+Shift+L"},
        {ActionId::ResetLayout, "actionResetLayout", Menu::View, QT_TR_NOOP("Reset La&yout"),
         QT_TR_NOOP("Columns, panels and sizes as they came"), "view-restore", "Ctrl+0"},
        {ActionId::ChartRange, "actionChartRange", Menu::View, QT_TR_NOOP("C&hart Range…"),
         QT_TR_NOOP("Choose from when to when the charts of the monitor go"), "chart-range",
         "Ctrl+Alt+T", E::Connection},
        {ActionId::ResetZoom, "actionResetZoom", Menu::View, QT_TR_NOOP("Reset &Zoom"),
         QT_TR_NOOP("Let the charts of the monitor follow the store again"), "chart-live",
         "Ctrl+Alt+0", E::Connection},
        {ActionId::ChartMarks, "actionChartMarks", Menu::View,
         QT_TR_NOOP("Mar&k Actions in Charts"),
         QT_TR_NOOP("Show in the charts when somebody paused, limited, deleted or changed many"),
         "chart-marks", "Ctrl+Alt+A", E::Connection | E::Checkable},
        {ActionId::OpenJob, "actionOpenJob", Menu::Job, QT_TR_NOOP("&Open"),
         QT_TR_NOOP("Show all that is known about this job"), "document-properties", "Return",
         E::One | E::OfWidget},
        {ActionId::OpenJobInWindow, "actionOpenJobInWindow", Menu::Job,
         QT_TR_NOOP("Open in New &Window"), QT_TR_NOOP("Show this job in a window of its own"),
         "window-new", "Shift+Return", E::One | E::OfWidget},
        {ActionId::RunNow, "actionRunNow", Menu::Job, QT_TR_NOOP("&Run Now"),
         QT_TR_NOOP("Make it due at once"), "media-playback-start", "Ctrl+Return",
         E::Some | E::Write, Verb::RunNow},
        {ActionId::Reschedule, "actionReschedule", Menu::Job, QT_TR_NOOP("Re&schedule…"),
         QT_TR_NOOP("Choose when it is due"), "appointment-new", "Ctrl+T", E::Some | E::Write,
         Verb::Reschedule},
        {ActionId::Hold, "actionHold", Menu::Job, QT_TR_NOOP("&Hold"),
         QT_TR_NOOP("Keep it back until it is released"), "media-playback-pause", "Ctrl+H",
         E::Some | E::Write},
        {ActionId::Restore, "actionRestore", Menu::Job, QT_TR_NOOP("R&estore"),
         QT_TR_NOOP("Put it back where it was, with its due time and attempts"), "edit-reset",
         "Ctrl+U", E::Some | E::Write, Verb::Restore},
        {ActionId::Trash, "actionTrash", Menu::Job, QT_TR_NOOP("Move to &Trash"),
         QT_TR_NOOP("Delete it; it can be restored"), "user-trash", "Del",
         E::Some | E::Write | E::OfWidget, Verb::Trash},
        {ActionId::DeletePermanently, "actionDeletePermanently", Menu::Job,
         QT_TR_NOOP("&Delete for Good…"), QT_TR_NOOP("Delete it; nothing brings it back"),
         "edit-delete", "Shift+Del", E::Some | E::Write | E::OfWidget, Verb::Purge},
        {ActionId::DuplicateAsNew, "actionDuplicateAsNew", Menu::Job, QT_TR_NOOP("D&uplicate…"),
         QT_TR_NOOP("Make a new job like this one and leave this one alone"), "edit-duplicate",
         "Ctrl+D", E::One | E::Write},
        {ActionId::NewJob, "actionNewJob", Menu::Job, QT_TR_NOOP("&New Job…"),
         QT_TR_NOOP("Push a job"), "document-new", "Ctrl+Shift+N", E::Connection | E::Write},
        {ActionId::NewReminder, "actionNewReminder", Menu::Job, QT_TR_NOOP("New Re&minder…"),
         QT_TR_NOOP("Send somebody a text later, once or again and again"), "appointment-reminder",
         "Ctrl+Shift+M", E::Connection | E::Write},
        {ActionId::TestMessage, "actionTestMessage", Menu::Job, QT_TR_NOOP("Send Test Mess&age…"),
         QT_TR_NOOP("Send somebody a SIP message, and watch what becomes of it"), "mail-send",
         "Ctrl+Shift+T", E::Connection | E::Write},
        {ActionId::GoToJob, "actionGoToJob", Menu::Job, QT_TR_NOOP("&Go to Job…"),
         QT_TR_NOOP("Find a job by its id"), "go-jump", "Ctrl+G", E::Connection},
        {ActionId::PauseTopic, "actionPauseTopic", Menu::Topic, QT_TR_NOOP("&Pause…"),
         QT_TR_NOOP("Give out nothing of this topic until it is resumed"), "queue-pause", "Ctrl+P",
         E::Topic | E::Write},
        {ActionId::CommandPalette, "actionCommandPalette", Menu::Tools,
         QT_TR_NOOP("&Command Palette…"),
         QT_TR_NOOP("Find any command, view, connection or job by its name"), "system-search",
         "Ctrl+K Ctrl+Shift+P"},
        {ActionId::MuteAlerts, "actionMuteAlerts", Menu::Tools,
         QT_TR_NOOP("&Mute Alerts for an Hour"),
         QT_TR_NOOP("No notifications and no sound for an hour; alerts are still listed"),
         "notifications-disabled", "Ctrl+Alt+M", E::Checkable},
        {ActionId::AlertRules, "actionAlertRules", Menu::Tools, QT_TR_NOOP("Alert &Rules…"),
         QT_TR_NOOP("Choose what fires, from which value on, and after how long"),
         "preferences-system", "Ctrl+Alt+R"},
        {ActionId::DuplicateWindow, "actionDuplicateWindow", Menu::Window,
         QT_TR_NOOP("&Duplicate Window"), QT_TR_NOOP("Open this store a second time"),
         "window-duplicate", "Ctrl+Alt+D"},
        {ActionId::NextWindow, "actionNextWindow", Menu::Window, QT_TR_NOOP("Ne&xt Window"),
         QT_TR_NOOP("Go to the next window of the console"), "window-next", "Ctrl+F6"},
        {ActionId::Help, "actionHelp", Menu::Help, QT_TR_NOOP("&Help"),
         QT_TR_NOOP("How to use this console, and how to write a filter"), "help-contents", "F1"},
        {ActionId::Shortcuts, "actionShortcuts", Menu::Help, QT_TR_NOOP("&Shortcuts…"),
         QT_TR_NOOP("Look up and change the keys"), "input-keyboard", "Ctrl+/"},
        {ActionId::About, "actionAbout", Menu::Help, QT_TR_NOOP("&About Restante"),
         QT_TR_NOOP("Versions and licences"), "help-about", "Ctrl+F1"},
    };
    // clang-format on
};
static_assert(std::size(Commands::kTable) == static_cast<std::size_t>(ActionId::Count_));

}  // namespace

std::span<const ActionEntry> actionTable()
{
    return Commands::kTable;
}

const ActionEntry& entryOf(ActionId id)
{
    return Commands::kTable[static_cast<std::size_t>(id)];
}

QList<QKeySequence> standardKeys(const ActionEntry& entry)
{
    QList<QKeySequence> keys;
    const auto words = QString::fromLatin1(entry.shortcuts).split(u' ', Qt::SkipEmptyParts);
    for (const auto& word : words) {
        keys.append(QKeySequence(word, QKeySequence::PortableText));
    }
    return keys;
}

}  // namespace restante::gui
