#pragma once

#include "gui/base/preferences.h"
#include "gui/pages/dialogs/connection_dialog.h"
#include "gui/pages/jobs/jobs_page.h"
#include "gui/session/profile_store.h"
#include "gui/shell/main_window.h"
#include "tests/gui/support/fake_backend.h"
#include "tests/gui/support/fake_secrets.h"

#include <QTemporaryDir>

#include <functional>
#include <vector>

namespace restante::gui::test {

/// The whole console before a fake store with jobs in every state, and each of its dialogs.
class WholeWindow {
public:
    WholeWindow();

    JobsPage& jobs() { return window.jobs(); }
    /// Waits until the page of jobs has its rows and its counts.
    bool settled();
    /// Shows a page, with the current job's detail on the first.
    void showPage(PageId page);
    /// Each dialog in turn, as it is when it has just been opened; it is closed afterwards.
    void eachDialog(const std::function<void(QWidget& dialog, const QString& name)>& look);

    QTemporaryDir home;
    Preferences preferences{home.filePath(QStringLiteral("admin.ini"))};
    MainWindow window{preferences};
    FakeBackend* fake = nullptr;

private:
    void fill();
    /// The window that the command brings; null = none.
    QWidget* broughtBy(Act act);
    void close(QWidget* dialog);

    ProfileStore profiles_{preferences};
    FakeSecrets secrets_;
};

}  // namespace restante::gui::test
