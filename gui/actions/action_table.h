#pragma once

#include "core/queue/bulk_action.h"
#include "gui/actions/action_registry.h"

#include <QKeySequence>
#include <QList>

#include <optional>
#include <span>

namespace restante::gui {

/// One row of the catalogue of commands. Texts are marked for translation in the table itself.
struct ActionEntry {
    ActionId id;
    const char* objectName;
    Menu menu;
    const char* text;
    const char* tip;
    const char* icon;       ///< freedesktop name, also that of the bundled file
    const char* shortcuts;  ///< portable, separated by spaces; empty = none
    enum Flags : unsigned {
        Nothing = 0,
        Connection = 1,
        One = 2,   ///< exactly one job
        Some = 4,  ///< at least one job
        Topic = 8,
        Write = 16,  ///< the connection must allow it
        Checkable = 32,
        OfWidget = 64,  ///< the shortcut works only where the action's widget has the focus
    };
    unsigned flags = Nothing;
    /// The action is enabled for jobs in the states that this verb accepts.
    std::optional<BulkAction::Verb> verb = {};
};

/// In the order of ActionId.
std::span<const ActionEntry> actionTable();
const ActionEntry& entryOf(ActionId id);
/// The default shortcuts of the command.
QList<QKeySequence> standardKeys(const ActionEntry& entry);

}  // namespace restante::gui
