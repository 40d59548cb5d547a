#pragma once

#include "gui/actions/action_registry.h"

#include <QKeySequence>
#include <QString>

namespace restante::gui {

class Preferences;

/// The shortcuts that the user has set, on top of the default ones. A key belongs to one command
/// at most: Qt triggers neither of two actions that share a key. *Thread of the
/// window.*
class ShortcutMap {
public:
    ShortcutMap(ActionRegistry& actions, Preferences& preferences);

    /// Sets the saved keys on the actions, and the default keys on all others.
    void applySavedKeys();
    /// Why the command cannot have this key, as a sentence; empty = it can. An empty key is always
    /// allowed.
    QString refusal(ActionId id, const QKeySequence& key) const;
    /// False, with nothing changed, when refusal() is not empty.
    bool set(ActionId id, const QKeySequence& key);
    /// Restores the default keys; false, with nothing changed, when another command uses one of
    /// them.
    bool reset(ActionId id);
    void resetAll();
    bool hasDefaultKeys(ActionId id) const;

private:
    ActionRegistry& actions_;
    Preferences& preferences_;
};

}  // namespace restante::gui
