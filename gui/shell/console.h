#pragma once

#include "gui/session/profile_store.h"
#include "gui/session/secret_store.h"
#include "gui/shell/main_window.h"
#include "gui/shell/start_options.h"

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include <memory>

namespace restante::gui {

class ConnectionDialog;
class Preferences;

/// The program: composes the window with the connections, and opens what the command line names.
/// *Thread of the window.*
class Console : public QObject {
    Q_OBJECT

public:
    /// With the desktop's keychain, or with another one (tests).
    explicit Console(Preferences& preferences, std::unique_ptr<SecretStore> secrets = nullptr);
    ~Console() override;

    MainWindow& window() noexcept { return window_; }
    ProfileStore& profiles() noexcept { return profiles_; }
    void start(const StartOptions& options);
    /// Fetches or asks for the password first, if the profile has one.
    void open(const ConnectionProfile& profile);
    void open(const ConnectionProfile& profile, const QString& password);
    /// The dialog of the connections, at this one; an empty id begins a new one.
    ConnectionDialog* showConnections(const QString& id);

signals:
    /// The picture has been taken, or cannot be: the program ends with this code.
    void pictureDone(int exitCode);

private:
    void openNow(const ConnectionProfile& profile, const QString& password);
    void askThenOpen(const ConnectionProfile& profile, const QString& why);
    void watchForPicture();
    void lookForPicture();
    void takePicture();

    Preferences& preferences_;
    MainWindow window_;
    ProfileStore profiles_;
    std::unique_ptr<SecretStore> secrets_;
    QPointer<ConnectionDialog> dialog_;
    QString picture_;  ///< where to; empty = none is wanted
    QTimer look_;
    QElapsedTimer ready_;   ///< since the store is there
    QElapsedTimer loaded_;  ///< since the page has all that it asked for
};

}  // namespace restante::gui
