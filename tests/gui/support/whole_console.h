#pragma once

#include "gui/base/preferences.h"
#include "gui/pages/jobs/jobs_page.h"
#include "gui/shell/console.h"
#include "gui/theme/appearance.h"
#include "tests/gui/support/fake_secrets.h"

#include <QTemporaryDir>

#include <memory>

namespace restante::gui::test {

/// The program as it is started: it opens its stores itself, and has a keychain that is a fake.
class WholeConsole {
public:
    MainWindow& window() { return console.window(); }
    JobsPage& jobs() { return window().jobs(); }
    /// On the screen, and with the keyboard.
    void show()
    {
        window().resize(1'280, 800);
        window().show();
        window().activateWindow();
    }

    QTemporaryDir home;
    Preferences preferences{home.filePath(QStringLiteral("admin.ini"))};
    const Appearance appearance{preferences};
    gui::Console console{preferences, std::make_unique<FakeSecrets>()};
};

}  // namespace restante::gui::test
