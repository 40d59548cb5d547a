#pragma once

#include "core/base/crypto.h"
#include "core/base/result.h"

#include <string>
#include <string_view>

namespace restante::auth {

/// The hashes of `user:realm:password` (RFC 7616 section 3.4.2) that digest authentication needs
/// instead of the password, by algorithm; empty = not known. They suffice to log in, so they are as
/// secret as the password. *Value.*
struct Ha1 {
    std::string sha256;
    std::string md5;

    const std::string& of(HashAlgorithm algorithm) const noexcept
    {
        return algorithm == HashAlgorithm::Sha256 ? sha256 : md5;
    }
};

/// In lower-case hex.
std::string ha1Of(HashAlgorithm algorithm,
                  std::string_view user,
                  std::string_view realm,
                  std::string_view password);

/// One line of a file of users. *Value.*
struct UserLine {
    std::string user;
    std::string realm;
    HashAlgorithm algorithm = HashAlgorithm::Sha256;
    std::string hash;  ///< lower case

    /// "bob:example.org:<hash>"
    std::string toString() const { return fmt::format("{}:{}:{}", user, realm, hash); }
};

/// Reads `user:realm:hash`: 64 hex digits are SHA-256, 32 MD5 (as Apache's htdigest writes them).
/// The realm may hold colons (an IPv6 domain), the user not. The error shows no hash.
Result<UserLine> parseUserLine(std::string_view line);

}  // namespace restante::auth
