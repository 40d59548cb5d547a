#pragma once

#include "gui/session/profile_store.h"
#include "gui/session/secret_store.h"
#include "gui/shell/open_windows.h"
#include "gui/shell/start_options.h"
#include "gui/shell/store_window.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <memory>
#include <vector>

namespace restante::gui {

class ConnectionDialog;
class Preferences;

/// The program: its windows, each with a store of its own, and what is one for all of them, the
/// preferences, the connections and their secrets. Opens what the command line names, or the
/// windows that were left. *Thread of the window.*
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
    /// In the first window. Fetches or asks for the password first, if the profile has one.
    void open(const ConnectionProfile& profile);
    void open(const ConnectionProfile& profile, const QString& password);
    /// In a window of its own, or in the one that shows it already: that comes to the front.
    MainWindow& openInNewWindow(const ConnectionProfile& profile, const QString& password = {});
    /// The dialog of the connections of the first window, at this one; an empty id begins a new
    /// one.
    ConnectionDialog* showConnections(const QString& id);
    /// Closes every window; asks once when tasks are running in any of them.
    void quit();

signals:
    /// The picture has been taken, or cannot be: the program ends with this code.
    void pictureDone(int exitCode);

private:
    StoreWindow& addWindow(int place);
    int freePlace() const;
    StoreWindow* windowOf(const ConnectionProfile& profile) const;
    StoreWindow* windowInFront() const;
    bool raisedInstead(const ConnectionProfile& profile);
    void choose(StoreWindow& window, const ConnectionProfile& profile, const QString& password);
    void openWith(StoreWindow& window, const ConnectionProfile& profile, const QString& password);
    MainWindow&
    openBeside(StoreWindow& other, const ConnectionProfile& profile, const QString& password);
    void newWindow();
    StoreWindow& showBeside(StoreWindow& other);
    void duplicate(StoreWindow& window);
    void goToNext(const StoreWindow& window);
    void remove(StoreWindow& window);
    void listWindows();
    void keepWindows();
    bool openedAsLeft();
    void watchForPicture();
    void lookForPicture();
    void takePicture();

    Preferences& preferences_;
    ProfileStore profiles_;
    std::unique_ptr<SecretStore> secrets_;
    std::vector<OpenWindow> left_;  ///< by the program that ran before
    std::vector<std::unique_ptr<StoreWindow>> windows_;
    std::vector<QString> listed_;  ///< what the menus of windows say
    bool quits_ = false;           ///< what is still open then is not what was left
    QString picture_;              ///< where to; empty = none is wanted
    QTimer look_;
    QElapsedTimer ready_;   ///< since the store is there
    QElapsedTimer loaded_;  ///< since the page has all that it asked for
};

}  // namespace restante::gui
