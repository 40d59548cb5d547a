#pragma once

#include "core/auth/user_directory.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>

namespace restante::auth {

/// The users of a file of HA1 lines (`sip.auth.users`, parseUserLine()), kept in memory. Empty
/// lines and those that begin with `#` are skipped; a user may have one line for each hash
/// algorithm.
class UserFile final : public UserDirectory {
public:
    /// Refuses a file that everybody can read, and one with a malformed line or with a second hash
    /// of a user for one algorithm; the error has the number of the line.
    static Result<std::unique_ptr<UserFile>> open(const std::filesystem::path& file);

    void
    find(const std::string& user, const std::string& realm, Done<std::optional<Ha1>> done) override;
    /// Replaces the users by those of this file; keeps the old ones when it is refused.
    Result<void> reload(const std::filesystem::path& file);

    std::size_t size() const noexcept { return users_.size(); }
    /// The number of users that have no line for that algorithm.
    std::size_t countWithoutHash(HashAlgorithm algorithm) const;

private:
    using Users = std::unordered_map<std::string, Ha1>;  ///< by "user:realm"
    static Result<Users> read(const std::filesystem::path& file);

    Users users_;
};

}  // namespace restante::auth
