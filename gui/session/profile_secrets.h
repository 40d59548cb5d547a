#pragma once

#include "gui/session/connection_profile.h"

#include <QString>
#include <tl/expected.hpp>

#include <functional>

namespace restante::gui {

class SecretStore;

/// An address without the passwords in it, wherever and however they are written: between the user
/// and the host, or as an option (`?password=`, `sslpassword`, percent-encoded or not). Where it
/// is not clear what is a password, more is taken away rather than less. *Pure.*
QString withoutSecrets(const QString& url);

/// What the keychain keeps of a profile besides the password of Redis. *Thread of the window.*

/// The profile as it may be saved; the error is a sentence.
using SaveCallback = std::function<void(tl::expected<ConnectionProfile, QString>)>;
/// The profile for connecting; as it is when the keychain has nothing (whoever is connected to says
/// then what is lacking).
using FetchCallback = std::function<void(const ConnectionProfile&)>;

/// Takes the password out of a profile's journal address; the keychain keeps the whole address.
void saveJournalSecret(SecretStore& secrets, ConnectionProfile profile, SaveCallback done);
void fetchJournalSecret(SecretStore& secrets, ConnectionProfile profile, FetchCallback done);
/// What was kept of a profile that is removed.
void removeJournalSecret(SecretStore& secrets, const QString& profileId);

/// The address of sentinels with the password that they want; another address as it is.
QString withSentinelPassword(const QString& url, const QString& password);
/// Keeps what was typed for the sentinels of a profile that wants it; nothing typed leaves what is
/// there.
void saveSentinelSecret(SecretStore& secrets,
                        ConnectionProfile profile,
                        const QString& typed,
                        SaveCallback done);
/// What was kept of a profile that is removed, or has no use for it any more.
void removeSentinelSecret(SecretStore& secrets, const QString& profileId);

/// Everything of a profile that the keychain has, but for the password of Redis.
void fetchSecrets(SecretStore& secrets, const ConnectionProfile& profile, FetchCallback done);

}  // namespace restante::gui
