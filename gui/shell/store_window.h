#pragma once

#include "gui/session/connection_profile.h"
#include "gui/shell/main_window.h"

#include <QObject>
#include <QPointer>

#include <optional>

namespace restante::gui {

class ConnectionDialog;
class Preferences;
class ProfileStore;
class SecretStore;

/// One window of the console with the connection that it shows, which is no other window's: opens
/// it, asks for its password, and has the dialog of the connections. *Thread of the window.*
class StoreWindow : public QObject {
    Q_OBJECT

public:
    /// Profiles and secrets are those of all windows, and outlive this.
    StoreWindow(Preferences& preferences, ProfileStore& profiles, SecretStore& secrets, int number);
    ~StoreWindow() override;

    MainWindow& window() noexcept { return window_; }
    /// Fetches or asks for the password first, if the profile has one.
    void open(const ConnectionProfile& profile);
    void open(const ConnectionProfile& profile, const QString& password);
    /// What it shows, or is about to: its password is being fetched or asked for. None after that
    /// was cancelled, unless it still shows another.
    const std::optional<ConnectionProfile>& profile() const noexcept { return profile_; }
    /// The password that it was opened with, typed or from the keychain; empty = there is none.
    const QString& password() const noexcept { return password_; }
    /// The dialog of the connections, at this one; an empty id begins a new one.
    ConnectionDialog* showConnections(const QString& id);

signals:
    /// Begins to show another store, or none.
    void profileChanged();
    /// The session is there.
    void opened();
    /// The user has chosen it: here, or wherever it is open already.
    void profileChosen(const restante::gui::ConnectionProfile& profile, const QString& password);
    void newWindowRequested(const restante::gui::ConnectionProfile& profile,
                            const QString& password);

private:
    void startSession(const ConnectionProfile& profile, const QString& password);
    void askThenOpen(const ConnectionProfile& profile, const QString& why);
    void setProfileIfClosed(const ConnectionProfile& profile);
    void closeSession();

    ProfileStore& profiles_;
    SecretStore& secrets_;
    MainWindow window_;
    std::optional<ConnectionProfile> profile_;
    QString password_;
    /// Counts what was opened or closed: a late answer of the keychain is for an earlier one.
    std::uint64_t openings_ = 0;
    QPointer<ConnectionDialog> dialog_;
};

}  // namespace restante::gui
