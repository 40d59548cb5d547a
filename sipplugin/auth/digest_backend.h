#pragma once

#include "core/auth/user_file.h"
#include "core/config/config.h"
#include "sipplugin/auth/nonce.h"

#include <memory>

namespace restante::redis {
class Connection;
}

namespace restante::sip {

/// The users of `sip.auth` and the nonces in Redis. Borrows the connection. *One loop.*
class DigestBackend {
public:
    DigestBackend(std::unique_ptr<auth::UserDirectory> users,
                  redis::Connection& connection,
                  const std::string& prefix)
        : users_(std::move(users)),
          nonces_(connection, prefix)
    {
    }

    /// With the users of `sip.auth.users`; null when it is empty. The error says what is wrong.
    static Result<std::unique_ptr<DigestBackend>> open(const Config& config,
                                                       redis::Connection& connection);

    /// Reads the file of users again, or drops cached ones; on an error nothing changes.
    Result<void> reload(const Config& config);

    auth::UserDirectory& users() noexcept { return *users_; }
    NonceStore& nonces() noexcept { return nonces_; }

private:
    std::unique_ptr<auth::UserDirectory> users_;
    auth::UserFile* file_ = nullptr;  ///< `users_` when it is a file
    RedisNonceStore nonces_;
};

}  // namespace restante::sip
