#pragma once

#include "gui/pages/dialogs/connection_dialog.h"
#include "gui/session/profile_store.h"
#include "tests/gui/support/fake_secrets.h"
#include "tests/gui/support/window_on_store.h"

#include <functional>
#include <vector>

namespace restante::gui::test {

/// The whole console before a fake store with jobs in every state, and each of its dialogs.
class WholeWindow : public WindowOnStore {
public:
    WholeWindow();

    /// Shows a page, with the current job's detail on the first.
    void showPage(PageId page);
    /// Each dialog in turn, as it is when it has just been opened; it is closed afterwards.
    void eachDialog(const std::function<void(QWidget& dialog, const QString& name)>& look);

private:
    static void fill(FakeBackend& store);
    /// The window that the command brings; null = none.
    QWidget* broughtBy(ActionId act);
    void close(QWidget* dialog);

    ProfileStore profiles_{preferences};
    FakeSecrets secrets_;
};

}  // namespace restante::gui::test
