#include "sipplugin/auth/digest_backend.h"

#include "core/base/log.h"
#include "core/base/try.h"

namespace restante::sip {

namespace {

/// A user who lacks a hash cannot log in with a phone that chooses it.
void warnAboutMissingHashes(const auth::UserFile& users, const Config::Sip::Auth& auth)
{
    for (const auto algorithm : {HashAlgorithm::Sha256, HashAlgorithm::Md5}) {
        const bool offered = algorithm == HashAlgorithm::Sha256 ? auth.sha256 : auth.md5;
        const auto count = users.countWithoutHash(algorithm);
        if (offered && count > 0) {
            log::warning("sip",
                         "sip.auth.users: {} of {} users have no {} line, and cannot log in with a "
                         "phone that chooses it; make one with restantectl sip-user",
                         count, users.size(), name(algorithm));
        }
    }
}

}  // namespace

Result<std::unique_ptr<DigestBackend>> DigestBackend::open(const Config& config,
                                                           redis::Connection& connection)
{
    const auto& auth = config.sip.auth;
    if (auth.users.empty() && !auth.sql.empty()) {
        return invalid("sip.auth.sql is known to restanted only; set sip.auth.users here");
    }
    if (auth.users.empty()) {
        return std::unique_ptr<DigestBackend>{};
    }
    auto users = TRY(auth::UserFile::open(auth.users));
    warnAboutMissingHashes(*users, auth);
    auto* file = users.get();
    auto digestBackend =
        std::make_unique<DigestBackend>(std::move(users), connection, config.redis.prefix);
    digestBackend->file_ = file;
    return digestBackend;
}

Result<void> DigestBackend::reload(const Config& config)
{
    if (file_ == nullptr) {
        users_->clearCache();
        return {};
    }
    if (config.sip.auth.users.empty()) {
        return invalid("sip.auth.users is empty now; restart to let nobody log in any more");
    }
    TRY(file_->reload(config.sip.auth.users));
    warnAboutMissingHashes(*file_, config.sip.auth);
    return {};
}

}  // namespace restante::sip
