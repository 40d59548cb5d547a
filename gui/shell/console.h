#pragma once

#include "gui/session/profile_store.h"
#include "gui/session/secret_store.h"
#include "gui/shell/open_windows.h"
#include "gui/shell/start_options.h"
#include "gui/shell/store_window.h"

#include <QColor>
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <memory>
#include <utility>
#include <vector>

namespace restante::gui {

class ConnectionDialog;
class Preferences;

/// The program: its windows, each with its own store, and what they share: preferences, connections
/// and secrets. Opens what the command line names, or the windows of the last run. *Thread of the
/// window.*
class Console : public QObject {
    Q_OBJECT

public:
    /// With the desktop's keychain, or with another one (tests).
    explicit Console(Preferences& preferences, std::unique_ptr<SecretStore> secrets = nullptr);
    ~Console() override;

    /// The first of them. There is always one, though it may be closed.
    MainWindow& window() noexcept { return windows_.front()->window(); }
    std::vector<MainWindow*> windows() const;
    ProfileStore& profiles() noexcept { return profiles_; }
    void start(const StartOptions& options);
    /// Opens the profile in the first window. Fetches or asks for its password first.
    void open(const ConnectionProfile& profile);
    void open(const ConnectionProfile& profile, const QString& password);
    /// Opens the profile in a new window, or in the active one if that shows no store; or raises
    /// the one that shows it already.
    MainWindow& openInNewWindow(const ConnectionProfile& profile, const QString& password = {});
    /// Shows the connections dialog in the first window with this one selected; an empty id begins
    /// a new one.
    ConnectionDialog* showConnections(const QString& id);
    /// Closes every window; asks once when tasks are running in any of them.
    void quit();

signals:
    /// The picture was taken or has failed: the program ends with this code.
    void pictureDone(int exitCode);

private:
    using WindowLook = std::pair<QString, QColor>;  ///< title, and colour of the connection

    StoreWindow& addWindow(int number);
    int unusedNumber() const;
    StoreWindow* windowOf(const ConnectionProfile& profile) const;
    StoreWindow* activeWindow() const;
    bool raiseIfOpen(const ConnectionProfile& profile);
    void
    openOrRaise(StoreWindow& window, const ConnectionProfile& profile, const QString& password);
    void openWith(StoreWindow& window, const ConnectionProfile& profile, const QString& password);
    MainWindow&
    openBeside(StoreWindow& other, const ConnectionProfile& profile, const QString& password);
    void newWindow();
    StoreWindow& showBeside(StoreWindow& other);
    void duplicate(StoreWindow& window);
    void activateNext(const StoreWindow& window);
    void remove(StoreWindow& window);
    void updateWindowMenus();
    void saveOpenWindows();
    bool reopenPreviousWindows();
    void watchForPicture();
    void checkPicture();
    void takePicture();

    Preferences& preferences_;
    ProfileStore profiles_;
    std::unique_ptr<SecretStore> secrets_;
    std::vector<OpenWindow> previousWindows_;  ///< windows of the last run
    std::vector<std::unique_ptr<StoreWindow>> windows_;
    std::vector<WindowLook> listedWindows_;  ///< those in the Window menus
    bool isQuitting_ = false;  ///< windows that close now are reopened at the next start
    QString picture_;          ///< its file; empty = no picture
    QTimer pictureTimer_;
    QElapsedTimer sinceReady_;   ///< since the store is there
    QElapsedTimer sinceLoaded_;  ///< since the page has all that it asked for
};

}  // namespace restante::gui
