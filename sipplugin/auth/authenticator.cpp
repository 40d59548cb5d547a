#include "sipplugin/auth/authenticator.h"

#include "core/base/async_task.h"
#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/network.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/fingerprint.h"
#include "sipplugin/message/network.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <unordered_map>

namespace restante::sip {

namespace {

/// About 1 MB. Addresses beyond this number share one bucket.
constexpr std::size_t kMostAddresses = 10'000;
constexpr const char* kOverflowBucket = "*";
/// A bucket's debt is limited to what an hour refills, in minutes.
constexpr double kDeepestDebt = 60;

/// Retry-After for an address with too many failures, which is refused without computing a hash.
constexpr int kTooManyFailuresRetrySeconds = 60;
/// The secret of the nonces is ensured again after this.
constexpr Millis kSecretRefreshInterval{30'000};

/// The HA1 for a user who does not exist, so that the answer takes as long as any other.
constexpr std::string_view kUnknownUserHash =
    "0000000000000000000000000000000000000000000000000000000000000000";

void countLogin(std::string_view outcome)
{
    metrics::counter("restante_sip_logins_total", {std::string(outcome)}).add();
}

/// RFC 3261 section 22.4: the same resource, apart from parameters that proxies may have added.
bool isSameResource(std::string_view uri, std::string_view requestUri)
{
    if (uri == requestUri) {
        return true;
    }
    const auto one = parseSipUri(uri);
    const auto other = parseSipUri(requestUri);
    return one && other && one->scheme == other->scheme && one->user == other->user &&
           one->host == other->host && one->port == other->port;
}

/// Headers that proxies write and that may differ in a retransmission. All others identify the
/// request: with another Contact a replayed REGISTER would redirect the user's messages.
constexpr HeaderNameSet kHopHeaders{HeaderName::Via, HeaderName::MaxForwards,
                                    HeaderName::RecordRoute, HeaderName::Route,
                                    HeaderName::Timestamp};

/// A hash of the request, independent of its transaction but not of its source address.
std::string requestHashOf(const ReceivedRequest& request)
{
    std::string headers;
    for (const auto& [header, name, value] : request.headers) {
        if (!kHopHeaders.contains(header)) {
            headers.append(name).append(":").append(value).append("\n");  // values are one line
        }
    }
    const auto print = fingerprint({request.method, request.requestUri, headers, request.body,
                                    request.sourceHost, std::to_string(request.sourcePort)});
    return print.hex();
}

}  // namespace

class FailureRateLimiter::Shared {
public:
    std::mutex mutex;
    TimePoint nextSweep{};                            ///< guarded by mutex, as is the next
    std::unordered_map<std::string, Bucket> buckets;  ///< by key, of those that have failures
};

FailureRateLimiter::FailureRateLimiter(const Clock& clock,
                                       std::uint32_t perMinute,
                                       std::shared_ptr<Shared> shared)
    : clock_(clock),
      perMinute_(perMinute),
      shared_(shared ? std::move(shared) : makeShared())
{
}

std::shared_ptr<FailureRateLimiter::Shared> FailureRateLimiter::makeShared()
{
    return std::make_shared<Shared>();
}

std::size_t FailureRateLimiter::size() const
{
    const std::lock_guard lock(shared_->mutex);
    return shared_->buckets.size();
}

bool FailureRateLimiter::admits(const std::string& key)
{
    if (perMinute_ == 0) {
        return true;
    }
    const std::lock_guard lock(shared_->mutex);
    const auto& buckets = shared_->buckets;
    auto found = buckets.find(customerNetworkOf(key));
    if (found == buckets.end()) {
        if (buckets.size() < kMostAddresses) {
            return true;
        }
        found = buckets.find(kOverflowBucket);
    }
    return found == buckets.end() || refilled(found->second).tokens >= 1;
}

void FailureRateLimiter::recordFailure(const std::string& key)
{
    if (perMinute_ == 0) {
        return;
    }
    const std::lock_guard lock(shared_->mutex);
    auto& buckets = shared_->buckets;
    if (buckets.size() >= kMostAddresses) {
        forgetFullBuckets();
    }
    auto bucketKey = customerNetworkOf(key);
    if (buckets.size() >= kMostAddresses && !buckets.contains(bucketKey)) {
        bucketKey = kOverflowBucket;
    }
    auto& bucket = buckets.try_emplace(bucketKey, Bucket{perMinute_, clock_.now()}).first->second;
    bucket = refilled(bucket);
    bucket.tokens = std::max(bucket.tokens - 1, -kDeepestDebt * perMinute_);
}

FailureRateLimiter::Bucket FailureRateLimiter::refilled(const Bucket& bucket) const
{
    const auto now = clock_.now();
    const std::chrono::duration<double, std::ratio<60>> passed = now - bucket.filledAt;
    return {std::min(perMinute_, bucket.tokens + passed.count() * perMinute_), now};
}

void FailureRateLimiter::forgetFullBuckets()
{
    const auto now = clock_.now();
    if (now < shared_->nextSweep) {
        return;
    }
    shared_->nextSweep = now + std::chrono::seconds{1};
    std::erase_if(shared_->buckets,
                  [&](const auto& entry) { return refilled(entry.second).tokens >= perMinute_; });
}

struct Authenticator::LoginAttempt {
    const ReceivedRequest& request;
    Claim claim;
    DigestCredentials credentials;
    std::function<void(AuthenticationResult)> done;

    void refuse(SipAnswer answer) const { done(tl::unexpected(std::move(answer))); }
};

Authenticator::Authenticator(Parts parts, Config::Sip::Auth settings)
    : parts_(parts),
      settings_(std::move(settings)),
      failureLimiter_(parts.clock, settings_.failures, parts.failures),
      failureLogLimiter_(parts.clock),
      failedCheckLogLimiter_(parts.clock)
{
    ensureSecret([](const Result<void>&) {});
}

std::optional<SipAnswer> Authenticator::screen(const ReceivedRequest& request)
{
    const auto claim = claimOf(request);
    if (!claim) {
        return claim.error();
    }
    const auto credentials = credentialsOf(request, claim->realm);
    if (!credentials) {
        countLogin("malformed");
        return refusal(400, "Bad Request", credentials.error().message);
    }
    if (!*credentials) {
        return issuer_ ? std::optional{challenge(claim->realm, request, Stale::No)} : std::nullopt;
    }
    if (!isSameResource((*credentials)->uri, request.requestUri)) {
        countLogin("malformed");
        return refusal(400, "Bad Request", "Authorization: uri is not the Request-URI");
    }
    // Before any failure counts against that address: a forger of it has never seen its nonces.
    if (issuer_ &&
        nonceStatusOf((*credentials)->nonce, *claim, request) == NonceIssuer::Status::Foreign) {
        countLogin("stale");
        return challenge(claim->realm, request, Stale::Yes);
    }
    if (!failureLimiter_.admits(failureKeyOf(request, *claim))) {
        countLogin("paced");
        auto answer =
            refusal(403, "Too Many Failures", "too many wrong passwords from this address");
        answer.headers.emplace_back("Retry-After", std::to_string(kTooManyFailuresRetrySeconds));
        return answer;
    }
    return std::nullopt;
}

void Authenticator::authenticate(const ReceivedRequest& request,
                                 std::function<void(AuthenticationResult)> done)
{
    ensureSecret([this, &request, done = std::move(done)](const Result<void>& ensured) {
        if (!ensured) {
            return done(tl::unexpected(answerToFailedCheck(ensured.error())));
        }
        auto claim = claimOf(request);
        if (!claim) {
            return done(tl::unexpected(claim.error()));
        }
        auto credentials = credentialsOf(request, claim->realm);
        if (!credentials || !*credentials) {
            return done(tl::unexpected(challenge(claim->realm, request, Stale::No)));
        }
        if (nonceStatusOf((*credentials)->nonce, *claim, request) == NonceIssuer::Status::Foreign) {
            countLogin("stale");
            return done(tl::unexpected(challenge(claim->realm, request, Stale::Yes)));
        }
        checkCredentials(std::make_shared<LoginAttempt>(
            LoginAttempt{request, std::move(*claim), std::move(**credentials), done}));
    });
}

tl::expected<Authenticator::Claim, SipAnswer>
Authenticator::claimOf(const ReceivedRequest& request) const
{
    const auto* headerName = request.method == "REGISTER" ? "To" : "From";
    const auto address = parseNameAddr(request.header(headerName).value_or(""));
    if (!address) {
        return tl::unexpected(
            refusal(400, "Bad Request", fmt::format("{} is not an address", headerName)));
    }
    const auto aor = canonicalAor(address->uri);
    const auto host = aor ? std::string{hostOfAor(*aor)} : std::string{};
    if (!aor || !parts_.domains.contains(host)) {
        return tl::unexpected(
            refusal(403, "Forbidden",
                    fmt::format("{} names nobody of this domain, and this address is not trusted",
                                headerName)));
    }
    return Claim{*aor, host};
}

Result<std::optional<DigestCredentials>>
Authenticator::credentialsOf(const ReceivedRequest& request, const std::string& realm) const
{
    for (const auto line : request.all("Authorization")) {
        if (!isDigest(line)) {
            continue;
        }
        auto fields = TRY(DigestFields::parse(line));
        // Credentials for others may travel beside ours (RFC 3261 section 22.3).
        if (fields.value("realm") == realm) {
            return DigestCredentials::read(fields).map(
                [](DigestCredentials read) { return std::optional{std::move(read)}; });
        }
    }
    return std::optional<DigestCredentials>{};
}

SipAnswer Authenticator::challenge(const std::string& realm,
                                   const ReceivedRequest& request,
                                   Stale stale) const
{
    auto answer = refusal(401, "Unauthorized", "authenticate as the user you say to be");
    const auto nonce = issuer_->make({realm, request.sourceHost}, parts_.clock.now());
    for (const auto algorithm : {HashAlgorithm::Sha256, HashAlgorithm::Md5}) {
        if (isOffered(algorithm)) {
            answer.headers.emplace_back(
                "WWW-Authenticate",
                fmt::format("Digest realm={}, nonce=\"{}\", algorithm={}, qop=\"auth\"{}",
                            quotedString(realm), nonce, name(algorithm),
                            stale == Stale::Yes ? ", stale=true" : ""));
        }
    }
    return answer;
}

void Authenticator::ensureSecret(std::function<void(Result<void>)> done)
{
    // A store that was lost may have another secret, made by another daemon.
    const auto now = parts_.clock.now();
    if (issuer_ && now - secretRequestedAt_ >= kSecretRefreshInterval) {
        fetchSecret([](const Result<void>&) {});
    }
    issuer_ ? done({}) : fetchSecret(std::move(done));
}

void Authenticator::fetchSecret(std::function<void(Result<void>)> done)
{
    secretRequestedAt_ = parts_.clock.now();
    parts_.nonces.secret(
        callbackGuard_.guard(onSuccess(done, [this, done](const std::string& secret) {
            if (!issuer_ || secret != secret_) {
                secret_ = secret;
                issuer_.emplace(secret_, settings_.nonceLifetime);
            }
            done({});
        })));
}

void Authenticator::checkCredentials(const std::shared_ptr<LoginAttempt>& attempt)
{
    if (!isOffered(attempt->credentials.algorithm)) {
        return attempt->refuse(challenge(attempt->claim.realm, attempt->request, Stale::No));
    }
    // With a colon in the name, user and realm could be shifted to match another user's HA1.
    const bool isUsable = attempt->credentials.user.find(':') == std::string::npos;
    parts_.users.find(
        isUsable ? attempt->credentials.user : "", attempt->claim.realm,
        callbackGuard_.guard([this, attempt](const Result<std::optional<auth::Ha1>>& ha1) {
            if (!ha1) {
                return attempt->refuse(answerToFailedCheck(ha1.error()));
            }
            checkResponse(attempt, *ha1);
        }));
}

void Authenticator::checkResponse(const std::shared_ptr<LoginAttempt>& attempt,
                                  const std::optional<auth::Ha1>& ha1)
{
    const auto& credentials = attempt->credentials;
    const auto nobody = kUnknownUserHash.substr(0, hexLength(credentials.algorithm));
    const bool isKnown = ha1 && !ha1->of(credentials.algorithm).empty();
    const auto expected =
        responseOf(credentials.algorithm, isKnown ? ha1->of(credentials.algorithm) : nobody,
                   {attempt->request.method, credentials.uri, credentials.nonce, credentials.nc,
                    credentials.cnonce});
    if (!sameSecret(expected, credentials.response) || !isKnown) {
        recordFailure(*attempt);
        return attempt->refuse(challenge(attempt->claim.realm, attempt->request, Stale::No));
    }
    const auto provenAor =
        canonicalAor(fmt::format("sip:{}@{}", credentials.user, attempt->claim.realm));
    if (!provenAor || *provenAor != attempt->claim.aor) {
        countLogin("forbidden");
        return attempt->refuse(
            refusal(403, "Forbidden", "this user may not speak for that address"));
    }
    checkNonce(attempt);
}

void Authenticator::checkNonce(const std::shared_ptr<LoginAttempt>& attempt)
{
    const auto& credentials = attempt->credentials;
    const auto validity = issuer_->validate(
        credentials.nonce, {attempt->claim.realm, attempt->request.sourceHost}, parts_.clock.now());
    if (validity.status != NonceIssuer::Status::Fresh) {
        countLogin("stale");
        return attempt->refuse(challenge(attempt->claim.realm, attempt->request, Stale::Yes));
    }
    parts_.nonces.use({credentials.nonce, credentials.nonceCount, requestHashOf(attempt->request),
                       validity.remaining},
                      callbackGuard_.guard([this, attempt](const Result<bool>& isAccepted) {
                          if (!isAccepted) {
                              return attempt->refuse(answerToFailedCheck(isAccepted.error()));
                          }
                          if (!*isAccepted) {
                              countLogin("replayed");
                              // A client that knows the password repeats it with the new nonce.
                              return attempt->refuse(
                                  challenge(attempt->claim.realm, attempt->request, Stale::Yes));
                          }
                          countLogin("accepted");
                          attempt->done(attempt->claim.aor);
                      }));
}

/// Behind an edge proxy all users have its address, so each user is limited separately there.
std::string Authenticator::failureKeyOf(const ReceivedRequest& request, const Claim& claim) const
{
    return anyContains(parts_.edges, request.sourceHost) ? request.sourceHost + " " + claim.aor
                                                         : request.sourceHost;
}

/// The store or the directory of users does not answer, or not as it should.
SipAnswer Authenticator::answerToFailedCheck(const Error& error)
{
    if (const auto count = failedCheckLogLimiter_.countToLog(); count > 0) {
        log::warning("sip", "{} requests could not be authenticated, the last because: {}", count,
                     error.message);
    }
    return answerTo(error);
}

void Authenticator::recordFailure(const LoginAttempt& attempt)
{
    countLogin("wrong");
    failureLimiter_.recordFailure(failureKeyOf(attempt.request, attempt.claim));
    if (const auto count = failureLogLimiter_.countToLog(); count > 0) {
        log::warning("sip", "{} wrong passwords or unknown users, the last from {} for {}", count,
                     attempt.request.sourceHost, attempt.claim.aor);
    }
}

}  // namespace restante::sip
