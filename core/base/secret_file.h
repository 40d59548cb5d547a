#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace restante {

/// Reads secrets. A secret must be in a regular file that belongs to root or to the user of this
/// process, that at most its group can read, too, and that only its owner can write. Owner and mode
/// are checked on the opened descriptor, so replacing the file after the check has no effect.
/// `configKey` is the configuration key that names the file, for error messages; these never
/// contain the secret.

/// The whole content of the file, 1 MiB at most.
Result<std::string> readSecretFile(std::string_view configKey, const std::filesystem::path& file);
/// The first line of the file without its line ending; refuses an empty line.
Result<std::string> readSecret(std::string_view configKey, const std::filesystem::path& file);

/// The file of the credential that systemd passes to this service under the name `configKey`
/// (LoadCredential=, SetCredentialEncrypted=): $CREDENTIALS_DIRECTORY/<key>. Empty when there is
/// no such file.
std::filesystem::path credentialPath(std::string_view configKey);

}  // namespace restante
