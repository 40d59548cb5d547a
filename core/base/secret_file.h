#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace restante {

/// Secrets are read only in this way: from a regular file that belongs to root or to the user we
/// run as, that nobody else can read, and that only its owner can write. Owner and mode are those
/// of the file that was opened, so that exchanging it in between gains nothing. `configKey` names
/// the setting in errors, which say what to do and never show what the file holds.

/// All of the file, 1 MiB at most.
Result<std::string> readSecretFile(std::string_view configKey, const std::filesystem::path& file);
/// Its first line without what ends it; refuses an empty one.
Result<std::string> readSecret(std::string_view configKey, const std::filesystem::path& file);

/// The credential that systemd gives this service under the name of `configKey` (LoadCredential=,
/// SetCredentialEncrypted=): $CREDENTIALS_DIRECTORY/<configKey>; empty when there is none.
std::filesystem::path credentialFor(std::string_view configKey);

}  // namespace restante
