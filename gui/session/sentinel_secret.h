#pragma once

#include "gui/session/connection_profile.h"

#include <QString>
#include <tl/expected.hpp>

#include <functional>

namespace restante::gui {

class SecretStore;

/// The address of sentinels with the password that they want; another address as it is.
QString withSentinelPassword(const QString& url, const QString& password);

/// Has the keychain keep what was typed for the sentinels of a profile that wants it there; nothing
/// typed leaves what it has. The problem is a sentence.
void keepSentinelSecret(SecretStore& secrets,
                        ConnectionProfile profile,
                        const QString& typed,
                        std::function<void(tl::expected<ConnectionProfile, QString>)> then);

/// For connecting: `then` is given the profile whose address has the password in it, or as it is
/// when the keychain has none (the sentinels then say what they lack).
void fetchSentinelSecret(SecretStore& secrets,
                         ConnectionProfile profile,
                         std::function<void(const ConnectionProfile&)> then);

/// Everything of a profile that the keychain has, but for the password of Redis.
void fetchSecrets(SecretStore& secrets,
                  const ConnectionProfile& profile,
                  std::function<void(const ConnectionProfile&)> then);

/// What was kept of a profile that is removed, or has no use for it any more.
void forgetSentinelSecret(SecretStore& secrets, const QString& profileId);

}  // namespace restante::gui
