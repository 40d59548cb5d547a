#pragma once

#include <QColor>
#include <QString>

#include <chrono>

namespace restante::gui {

/// How careful the console is with a store.
enum class AccessMode {
    Normal,
    Production,  ///< bulk writes want the count to be typed
    ReadOnly,    ///< no write leaves the console
};

/// The address of a store and how it is accessed. *Value*; contains no secret: the password is in
/// the keychain, or asked for.
struct ConnectionProfile {
    enum class Kind {
        Local,  ///< the embedded Redis of a daemon on this machine, found by its configuration
        Redis,  ///< a server, sentinels, a cluster or a unix socket, by its URL
        Demo,   ///< a generated store
    };
    enum class Secret { None, Keychain, Ask };

    QString id;  ///< unique, never shown: names it in settings and keychain
    QString name;
    QColor color;  ///< of banner and title; invalid = none
    AccessMode mode = AccessMode::Normal;
    Kind kind = Kind::Local;
    QString configFile;  ///< of Local: restante.toml; empty = the default places
    QString url;         ///< of Redis: redis://host:port/db, unix:///path, without a password
    QString user;        ///< ACL user; empty = the default user
    Secret secret = Secret::None;
    QString prefix = QStringLiteral("rst");
    QString journalUrl;  ///< empty = the configuration's, or no history
    std::chrono::milliseconds timeout{5'000};
    bool journalInKeychain = false;   ///< the journal's address has a password: kept whole there
    QString jumpHost;                 ///< of Redis: reached through it by ssh; [user@]host[:port]
    QString jumpKey;                  ///< the file of the key for it; empty = as ssh is configured
    bool sentinelInKeychain = false;  ///< the sentinels have a password of their own: kept there

    friend bool operator==(const ConnectionProfile&, const ConnectionProfile&) = default;
};

}  // namespace restante::gui
