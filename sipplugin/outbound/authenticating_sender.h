#pragma once

#include "core/base/crypto.h"
#include "core/base/result.h"
#include "sipplugin/message/log_rate_limiter.h"
#include "sipplugin/settings/sip_settings.h"
#include "sipplugin/transport/request_sender.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace restante::sip {

/// Our credentials at `sip.proxy`: answers its challenges (RFC 3261 section 22, RFC 7616), SHA-256
/// rather than MD5, and reuses a nonce with a growing count until the next challenge. Challenges of
/// other realms are not answered: a device behind the server could write one. *One loop.*
class DigestClient {
public:
    using Headers = std::vector<std::pair<std::string, std::string>>;

    explicit DigestClient(ProxyCredentials login) : login_(std::move(login)) {}

    /// False when no user is configured.
    bool enabled() const noexcept { return !login_.user.empty(); }

    /// Authorization and Proxy-Authorization for the next request, if we were challenged for them.
    Headers authorize(std::string_view method, std::string_view uri);

    /// A 401 with its WWW-Authenticate, or a 407 with its Proxy-Authenticate values.
    struct Refusal {
        int status = 0;
        const std::vector<std::string>& challenges;
    };
    enum class Answer {
        None,   ///< the challenge cannot be answered, or must not
        Fresh,  ///< authorize() answers the challenge
        Stale,  ///< the same; only the nonce was too old, the password was right
    };
    Answer handleChallenge(const Refusal& refusal);

private:
    struct Challenge {
        std::string realm;
        std::string nonce;
        std::optional<std::string> opaque;
        HashAlgorithm algorithm = HashAlgorithm::Md5;
        bool namesAlgorithm = false;
        bool offersQop = false;
        bool stale = false;
        std::uint32_t uses = 0;
    };
    std::optional<Challenge> challengeOf(const std::string& text) const;
    /// The value of the header; counts a use of the nonce.
    std::string
    credentials(Challenge& challenge, std::string_view method, std::string_view uri) const;

    ProxyCredentials login_;
    std::array<std::optional<Challenge>, 2> challenges_;  ///< of 401, of 407
};

/// `login` with the password read from its file, if any. Fails if everybody can read the file.
Result<ProxyCredentials> withPasswordFromFile(ProxyCredentials login);

/// A RequestSender that logs in at one server, `sip.proxy`: after a 401 or 407 from there it sends
/// the request again with our credentials, as a new transaction and with another CSeq (RFC 3261
/// section 22.2). Credentials go nowhere else. The caller gets the last answer. *One loop.*
class AuthenticatingSender {
public:
    using Route = RequestSender::Route;
    using Response = RequestSender::Response;
    using AnswerHandler = RequestSender::AnswerHandler;
    using LateSuccessHandler = RequestSender::LateSuccessHandler;
    struct Settings {
        std::string proxy;       ///< the next hop that gets the credentials, with Route::otherHops
        ProxyCredentials login;  ///< without a user no challenge is answered
        /// Added to the CSeq for each repetition: in a dialog 1, outside of dialogs so much that no
        /// attempt has that number and no server sees a copy (RFC 3261 section 8.2.2.2).
        std::uint32_t cseqStep = 0x100'0000;
    };

    AuthenticatingSender(Agent& agent, const Clock& clock, Settings settings)
        : sender_(agent),
          settings_(std::move(settings)),
          digestClient_(settings_.login),
          logLimiter_(clock)
    {
    }

    void send(const std::string& request,
              const Route& route,
              AnswerHandler onAnswer,
              LateSuccessHandler onLateSuccess = {});
    std::size_t inProgress() const noexcept { return sender_.inProgress(); }

private:
    struct PendingRequest;

    void sendRequest(const std::shared_ptr<PendingRequest>& pending);
    /// Takes a challenge from the response; true when the request is to be sent again with the
    /// answer to it. Logs a refusal that stays.
    bool takeChallenge(PendingRequest& pending, const Response& response);
    void logFailure(int status, DigestClient::Answer answer);

    RequestSender sender_;
    Settings settings_;
    DigestClient digestClient_;
    LogRateLimiter logLimiter_;
};

}  // namespace restante::sip
