#pragma once

#include <QString>

#include <vector>

namespace restante::gui {

class Preferences;

/// A window as it was left: its number, which its layout is kept under, and the connection that it
/// showed. *Value.*
struct OpenWindow {
    int number = 1;
    QString profileId;

    friend bool operator==(const OpenWindow&, const OpenWindow&) = default;
};

/// As setOpenWindows() kept them; what cannot be read, or is there twice, is left out.
std::vector<OpenWindow> openWindows(const Preferences& preferences);
void setOpenWindows(Preferences& preferences, const std::vector<OpenWindow>& windows);

}  // namespace restante::gui
