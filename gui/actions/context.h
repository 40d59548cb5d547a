#pragma once

namespace restante::gui {

class ActionRegistry;
class Preferences;

/// What every page and dialog needs; lives as long as the main window. *Thread of the window.*
struct Context {
    ActionRegistry& actions;
    Preferences& preferences;
};

}  // namespace restante::gui
