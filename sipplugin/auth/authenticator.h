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

/// So many wrong passwords a minute from a source address, a bucket that fills evenly; a burst that
/// was under way at once is paid back. IPv6 counts by /64, which is one customer's. *One loop.*
class FailureRateLimiter {
public:
    /// What is known of addresses, at all threads of the process together. *Any thread.*
    class Shared;

    /// 0 a minute = no limit. `shared`: null = it is alone.
    FailureRateLimiter(const Clock& clock,
                       std::uint32_t perMinute,
                       std::shared_ptr<Shared> shared = nullptr);

    static std::shared_ptr<Shared> makeShared();

    /// Whether another password may be tried from there now.
    bool admits(const std::string& address);
    void failed(const std::string& address);

    std::size_t size() const;

private:
    struct Bucket {
        double tokens = 0;
        TimePoint filled{};
    };
    Bucket refilled(const Bucket& bucket) const;
    void forgetFull();  ///< at most once a second; with the lock

    const Clock& clock_;
    double perMinute_;
    std::shared_ptr<Shared> shared_;
};

/// Digest authentication of requests from addresses that are not trusted (RFC 3261 section 22, RFC
/// 7616, RFC 8760), by 401 with WWW-Authenticate. The realm is the domain of whom the sender says
/// to be: From of a MESSAGE, To of a REGISTER. Borrows everything it is given. *One loop.*
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

    /// What can be answered without asking anybody: a challenge to a request without credentials of
    /// ours, a refusal. Nothing when authenticate() must decide. Keeps nothing of the request.
    std::optional<SipAnswer> screen(const ReceivedRequest& request);

    /// Calls `done` with the AoR that the sender has proved to be, or with what to answer instead.
    /// At once or later; not any more once this has gone. The request must live until then.
    using AuthenticationResult = tl::expected<std::string, SipAnswer>;
    void authenticate(const ReceivedRequest& request,
                      std::function<void(AuthenticationResult)> done);

private:
    enum class Stale { No, Yes };
    /// Who the sender says to be.
    struct Claim {
        std::string aor;
        std::string realm;
    };
    /// A request with credentials on its way through the checks.
    struct LoginAttempt;

    tl::expected<Claim, SipAnswer> claimOf(const ReceivedRequest& request) const;
    /// The credentials for that realm; nothing when there are none.
    Result<std::optional<DigestCredentials>> credentialsOf(const ReceivedRequest& request,
                                                           const std::string& realm) const;
    /// A nonce for that realm, good from where the request came.
    SipAnswer
    challenge(const std::string& realm, const ReceivedRequest& request, Stale stale) const;
    NonceIssuer::Age
    ageOf(const std::string& nonce, const Claim& claim, const ReceivedRequest& request) const
    {
        return issuer_->judge(nonce, {claim.realm, request.sourceHost}, parts_.clock.now()).age;
    }
    void prepare(std::function<void(Result<void>)> done);
    void fetchSecret(std::function<void(Result<void>)> done);
    void judge(const std::shared_ptr<LoginAttempt>& one);
    void compare(const std::shared_ptr<LoginAttempt>& one, const std::optional<auth::Ha1>& known);
    void checkNonce(const std::shared_ptr<LoginAttempt>& one);
    bool isOffered(HashAlgorithm algorithm) const noexcept
    {
        return algorithm == HashAlgorithm::Sha256 ? settings_.sha256 : settings_.md5;
    }
    std::string failureKeyOf(const ReceivedRequest& request, const Claim& claim) const;
    void noteFailure(const LoginAttempt& one);

    Parts parts_;
    Config::Sip::Auth settings_;
    FailureRateLimiter failureLimiter_;
    LogRateLimiter failureLog_;
    std::optional<NonceIssuer> issuer_;  ///< set once the store has told the secret
    std::string secret_;
    TimePoint asked_{};  ///< for it, last
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
