#include "gui/shell/open_windows.h"

#include "gui/base/preferences.h"

#include <QStringList>

#include <algorithm>

namespace restante::gui {

namespace {

const QString kOpenKey = QStringLiteral("windows/open");
/// More than anybody looks at; the file may have been written by hand.
constexpr int kMaxNumber = 64;

}  // namespace

std::vector<OpenWindow> openWindows(const Preferences& preferences)
{
    std::vector<OpenWindow> windows;
    for (const auto& line : preferences.value(kOpenKey).toStringList()) {
        const auto number = line.section(u' ', 0, 0).toInt();
        const auto profileId = line.section(u' ', 1);
        const bool isTaken =
            std::any_of(windows.begin(), windows.end(),
                        [&](const OpenWindow& window) { return window.number == number; });
        if (number > 0 && number <= kMaxNumber && !isTaken && !profileId.isEmpty()) {
            windows.push_back({number, profileId});
        }
    }
    return windows;
}

void setOpenWindows(Preferences& preferences, const std::vector<OpenWindow>& windows)
{
    QStringList lines;
    for (const auto& window : windows) {
        lines.append(QStringLiteral("%1 %2").arg(QString::number(window.number), window.profileId));
    }
    preferences.setValue(kOpenKey, lines);
}

}  // namespace restante::gui
