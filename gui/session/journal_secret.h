#pragma once

#include "gui/session/connection_profile.h"

#include <QString>
#include <tl/expected.hpp>

#include <functional>

namespace restante::gui {

class SecretStore;

/// Takes the password out of a profile's journal address, and has the keychain keep the whole of
/// it: `then` is given the profile as it may be saved. The problem is a sentence.
void keepJournalSecret(SecretStore& secrets,
                       ConnectionProfile profile,
                       std::function<void(tl::expected<ConnectionProfile, QString>)> then);

/// The other way round, for connecting: `then` is given the profile with the whole address, or as
/// it is when the keychain has none (the journal then says what it lacks).
void fetchJournalSecret(SecretStore& secrets,
                        ConnectionProfile profile,
                        std::function<void(const ConnectionProfile&)> then);

/// What was kept of a profile that is removed.
void forgetJournalSecret(SecretStore& secrets, const QString& profileId);

}  // namespace restante::gui
