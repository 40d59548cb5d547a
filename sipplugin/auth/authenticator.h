#pragma once

#include "core/auth/user_directory.h"
#include "core/base/callback_guard.h"
#include "core/config/config.h"
#include "sipplugin/auth/digest.h"
#include "sipplugin/auth/nonce.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/message/local_domains.h"
#include "sipplugin/message/log_rate_limiter.h"
#include "sipplugin/message/received_request.h"

#include <memory>

namespace restante::sip {

/// Limits the wrong passwords per minute of a key, by a token bucket; a burst of concurrent
/// failures makes it negative. The key is a source address (IPv6 counts by /64, one customer's
/// network) or, behind an edge, that and the user. *One loop.*
class FailureRateLimiter {
public:
    /// What is known of the keys, at all threads of the process together. *Any thread.*
    class Shared;

    /// 0 a minute = no limit. `shared`: null = it is alone.
    FailureRateLimiter(const Clock& clock,
                       std::uint32_t perMinute,
                       std::shared_ptr<Shared> shared = nullptr);

    static std::shared_ptr<Shared> makeShared();

    /// Whether another password may be tried with that key now.
    bool admits(const std::string& key);
    void recordFailure(const std::string& key);

    /// How many keys have failures that are remembered.
    std::size_t size() const;

private:
    struct Bucket {
        double tokens = 0;
        TimePoint filledAt{};
    };
    Bucket refilled(const Bucket& bucket) const;
    void forgetFullBuckets();  ///< at most once a second; with the lock

    const Clock& clock_;
    double perMinute_;
    std::shared_ptr<Shared> shared_;
};

/// Digest authentication of requests from addresses that are not trusted (RFC 3261 section 22, RFC
/// 7616, RFC 8760), by 401 with WWW-Authenticate. The realm is the domain of the claimed user: From
/// of a MESSAGE, To of a REGISTER. Borrows everything it is given. *One loop.*
class Authenticator {
public:
    struct Parts {
        const Clock& clock;
        const LocalDomains& domains;
        auth::UserDirectory& users;
        NonceStore& nonces;
        std::vector<Network> edges = {};  ///< `sip.edges`: proxies with many phones behind them
        std::shared_ptr<FailureRateLimiter::Shared> failures = nullptr;  ///< null: it is alone
    };
    Authenticator(Parts parts, Config::Sip::Auth settings);

    /// The answer that needs no store: a challenge to a request without credentials for our realm
    /// or (stale=true) with a foreign nonce, or a refusal. Nothing when authenticate() must decide.
    /// Keeps nothing of the request.
    std::optional<SipAnswer> screen(const ReceivedRequest& request);

    /// Calls `done` with the authenticated AoR, or with the answer to send instead. At once or
    /// later; not after this has been destroyed. The request must live until then.
    using AuthenticationResult = tl::expected<std::string, SipAnswer>;
    void authenticate(const ReceivedRequest& request,
                      std::function<void(AuthenticationResult)> done);

private:
    enum class Stale { No, Yes };
    /// The user that the sender claims to be.
    struct Claim {
        std::string aor;
        std::string realm;
    };
    /// A request with credentials whose check is in progress.
    struct LoginAttempt;

    tl::expected<Claim, SipAnswer> claimOf(const ReceivedRequest& request) const;
    /// The credentials for that realm; nothing when there are none.
    Result<std::optional<DigestCredentials>> credentialsOf(const ReceivedRequest& request,
                                                           const std::string& realm) const;
    /// A 401 with a nonce for that realm and the source of the request.
    SipAnswer
    challenge(const std::string& realm, const ReceivedRequest& request, Stale stale) const;
    NonceIssuer::Status nonceStatusOf(const std::string& nonce,
                                      const Claim& claim,
                                      const ReceivedRequest& request) const
    {
        return issuer_->validate(nonce, {claim.realm, request.sourceHost}, parts_.clock.now())
            .status;
    }
    /// Reads the secret unless it is known, and now and then again.
    void ensureSecret(std::function<void(Result<void>)> done);
    void fetchSecret(std::function<void(Result<void>)> done);
    void checkCredentials(const std::shared_ptr<LoginAttempt>& attempt);
    void checkResponse(const std::shared_ptr<LoginAttempt>& attempt,
                       const std::optional<auth::Ha1>& ha1);
    void checkNonce(const std::shared_ptr<LoginAttempt>& attempt);
    bool isOffered(HashAlgorithm algorithm) const noexcept
    {
        return algorithm == HashAlgorithm::Sha256 ? settings_.sha256 : settings_.md5;
    }
    std::string failureKeyOf(const ReceivedRequest& request, const Claim& claim) const;
    SipAnswer answerToFailedCheck(const Error& error);
    void recordFailure(const LoginAttempt& attempt);

    Parts parts_;
    Config::Sip::Auth settings_;
    FailureRateLimiter failureLimiter_;
    LogRateLimiter failureLogLimiter_;
    LogRateLimiter failedCheckLogLimiter_;
    std::optional<NonceIssuer> issuer_;  ///< set once the secret is known
    std::string secret_;
    TimePoint secretRequestedAt_{};  ///< the last time
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
