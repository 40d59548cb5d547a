#pragma once

#include "gui/actions/action_registry.h"

#include <QKeySequence>
#include <QString>

namespace restante::gui {

class Preferences;

/// The keys of the commands as the user has set them, on top of those that they come with. A key
/// belongs to one command at most: Qt lets two that share it both do nothing. *Thread of the
/// window.*
class ShortcutMap {
public:
    ShortcutMap(ActionRegistry& actions, Preferences& preferences);

    /// Gives the actions the keys that are kept.
    void restore();
    /// Why the command cannot have this key, as a sentence; empty = it can. An empty key is fine.
    QString refusal(ActionId act, const QKeySequence& key) const;
    /// False, and nothing happens, when refusal() has something to say.
    bool set(ActionId act, const QKeySequence& key);
    /// The keys that it comes with, unless another command has them now: false.
    bool reset(ActionId act);
    void resetAll();
    bool isStandard(ActionId act) const;

private:
    ActionRegistry& actions_;
    Preferences& preferences_;
};

}  // namespace restante::gui
