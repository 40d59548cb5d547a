#pragma once

#include "gui/base/preferences.h"
#include "gui/pages/jobs/jobs_page.h"
#include "gui/session/store_session.h"
#include "tests/gui/support/fake_backend.h"
#include "tests/gui/support/main_window_object.h"
#include "tests/gui/support/wait.h"

#include <QTemporaryDir>

#include <functional>
#include <memory>
#include <utility>

namespace restante::gui::test {

/// The console's window on the store that a test gives it, with preferences of its own. It has no
/// store at first, is not shown, and is at the page of jobs.
class WindowOnStore {
public:
    WindowOnStore() : WindowOnStore(QString()) {}
    /// On settings that another window may have left.
    explicit WindowOnStore(const QString& settings)
        : preferences(settings.isEmpty() ? home.filePath(QStringLiteral("admin.ini")) : settings),
          window(preferences)
    {
        window.showPage(PageId::Jobs);
    }

    /// Connects to a store that is a fake, as it has been prepared; it is `fake` from then on.
    void openFake(const std::function<void(FakeBackend&)>& prepare = {},
                  ConnectionProfile profile = {})
    {
        auto made = std::make_unique<FakeBackend>();
        fake = made.get();
        if (prepare) {
            prepare(*fake);
        }
        window.open(std::make_unique<StoreSession>(std::move(profile), std::move(made)));
    }
    /// In a size of its own, whatever the screen is.
    void show()
    {
        window.resize(1'280, 800);
        window.show();
    }
    JobsPage& jobs() { return window.jobs(); }
    MainWindowObject ui() { return MainWindowObject(window); }
    /// Waits until the page of jobs has its rows and its counts.
    bool settled()
    {
        turn();
        return until([this] {
            return jobs().feed().answered() && !jobs().feed().busy() &&
                   !jobs().counter().isPending();
        });
    }

    QTemporaryDir home;
    Preferences preferences;
    MainWindow window;
    FakeBackend* fake = nullptr;
};

}  // namespace restante::gui::test
