#include "sipplugin/outbound/authenticating_sender.h"

#include "core/auth/ha1.h"
#include "core/base/log.h"
#include "core/base/secret_file.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "sipplugin/auth/digest.h"
#include "sipplugin/message/request_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace restante::sip {

namespace {

constexpr std::array<const char*, 2> kCredentialHeaders{"Authorization", "Proxy-Authorization"};
constexpr std::size_t kClientNonceBytes = 16;

/// Whether the comma-separated `qop` of a challenge offers "auth".
bool offersAuth(std::string_view options)
{
    return std::ranges::any_of(split(options, ','),
                               [](auto one) { return equalIgnoringCase(trimmed(one), "auth"); });
}

/// One for the proxy's challenge, one for a server behind it or for a stale nonce.
constexpr std::uint32_t kMostRepetitions = 2;

}  // namespace

DigestClient::Headers DigestClient::authorize(std::string_view method, std::string_view uri)
{
    Headers headers;
    for (std::size_t i = 0; i < challenges_.size(); ++i) {
        if (challenges_[i]) {
            headers.emplace_back(kCredentialHeaders[i], credentials(*challenges_[i], method, uri));
        }
    }
    return headers;
}

DigestClient::Answer DigestClient::handleChallenge(const Refusal& refusal)
{
    auto& challenge = challenges_[refusal.status == 407 ? 1 : 0];
    challenge.reset();
    if (!enabled()) {
        return Answer::None;
    }
    for (const auto& text : refusal.challenges) {
        auto offered = challengeOf(text);
        const bool better =
            offered && (!challenge || (challenge->algorithm == HashAlgorithm::Md5 &&
                                       offered->algorithm == HashAlgorithm::Sha256));
        if (better) {
            challenge = std::move(offered);
        }
    }
    if (!challenge) {
        return Answer::None;
    }
    return challenge->stale ? Answer::Stale : Answer::Fresh;
}

std::optional<DigestClient::Challenge> DigestClient::challengeOf(const std::string& text) const
{
    const auto fields = DigestFields::parse(text);
    if (!fields) {
        return std::nullopt;
    }
    Challenge challenge;
    challenge.realm = fields->value("realm");
    challenge.nonce = fields->value("nonce");
    const bool ours = std::ranges::find(login_.realms, challenge.realm) != login_.realms.end();
    if (!ours || challenge.nonce.empty()) {
        return std::nullopt;
    }
    if (const auto* named = fields->find("algorithm")) {
        const auto algorithm = hashAlgorithmNamed(*named);
        if (!algorithm) {
            return std::nullopt;
        }
        challenge.algorithm = *algorithm;
        challenge.namesAlgorithm = true;
    }
    if (const auto* options = fields->find("qop")) {
        if (!offersAuth(*options)) {
            return std::nullopt;
        }
        challenge.offersQop = true;
    }
    if (const auto* opaque = fields->find("opaque")) {
        challenge.opaque = *opaque;
    }
    challenge.stale = equalIgnoringCase(fields->value("stale"), "true");
    return challenge;
}

std::string
DigestClient::credentials(Challenge& challenge, std::string_view method, std::string_view uri) const
{
    const auto ha1 =
        auth::ha1Of(challenge.algorithm, login_.user, challenge.realm, login_.password);
    const auto nonceCount =
        challenge.offersQop ? fmt::format("{:08x}", ++challenge.uses) : std::string{};
    const auto clientNonce = challenge.offersQop ? randomHex(kClientNonceBytes) : std::string{};
    const auto response = responseOf(challenge.algorithm, ha1,
                                     {method, uri, challenge.nonce, nonceCount, clientNonce});
    auto text = fmt::format("Digest username={}, realm={}, nonce={}, uri={}, response=\"{}\"",
                            quotedString(login_.user), quotedString(challenge.realm),
                            quotedString(challenge.nonce), quotedString(uri), response);
    if (challenge.namesAlgorithm) {
        text += fmt::format(", algorithm={}", name(challenge.algorithm));
    }
    if (challenge.offersQop) {
        text += fmt::format(", qop=auth, nc={}, cnonce=\"{}\"", nonceCount, clientNonce);
    }
    if (challenge.opaque) {
        text += fmt::format(", opaque={}", quotedString(*challenge.opaque));
    }
    return text;
}

Result<ProxyCredentials> withPasswordFromFile(ProxyCredentials login)
{
    if (login.passwordFile.empty()) {
        return login;
    }
    login.password = TRY(readSecret("sip.proxy_password_file", login.passwordFile));
    return login;
}

/// One request that is being sent, through the challenges.
struct AuthenticatingSender::PendingRequest {
    std::string request;
    Route route;
    AnswerHandler onAnswer;
    LateSuccessHandler onLateSuccess;
    std::uint32_t repetitions = 0;
    int lastChallenge = 0;  ///< the status of the last challenge that was answered
};

void AuthenticatingSender::send(const std::string& request,
                                const Route& route,
                                AnswerHandler onAnswer,
                                LateSuccessHandler onLateSuccess)
{
    if (!digestClient_.enabled() || settings_.proxy.empty() || route.nextHop != settings_.proxy) {
        return sender_.send(request, route, std::move(onAnswer), std::move(onLateSuccess));
    }
    sendRequest(std::make_shared<PendingRequest>(
        PendingRequest{request, route, std::move(onAnswer), std::move(onLateSuccess)}));
}

void AuthenticatingSender::sendRequest(const std::shared_ptr<PendingRequest>& pending)
{
    const auto [method, uri] = requestWords(pending->request);
    const auto text = withHeaders(pending->request, digestClient_.authorize(method, uri),
                                  pending->repetitions * settings_.cseqStep);
    // Capturing `this` is safe: sender_ ends with it and then calls no handler.
    auto onAnswer = [this, pending](Response response) {
        if (takeChallenge(*pending, response)) {
            ++pending->repetitions;
            sendRequest(pending);
        } else {
            response.repetitions = pending->repetitions;
            pending->onAnswer(std::move(response));
        }
    };
    sender_.send(text, pending->route, std::move(onAnswer), pending->onLateSuccess);
}

bool AuthenticatingSender::takeChallenge(PendingRequest& pending, const Response& response)
{
    if (response.locallyGenerated || (response.status != 401 && response.status != 407)) {
        return false;
    }
    const auto& challenges =
        response.status == 407 ? response.proxyAuthenticate : response.wwwAuthenticate;
    const auto answer = digestClient_.handleChallenge({response.status, challenges});
    const bool wasAnsweredBefore =
        std::exchange(pending.lastChallenge, response.status) == response.status;
    const bool mayHelp = answer == DigestClient::Answer::Stale ||
                         (answer == DigestClient::Answer::Fresh && !wasAnsweredBefore);
    if (mayHelp && pending.repetitions < kMostRepetitions) {
        return true;
    }
    logFailure(response.status, answer);
    return false;
}

void AuthenticatingSender::logFailure(int status, DigestClient::Answer answer)
{
    const auto times = logLimiter_.countToLog();
    if (times == 0) {
        return;
    }
    log::warning("sip", "{} has refused {} request{}, the last with {} {}", settings_.proxy, times,
                 times == 1 ? "" : "s", status,
                 answer == DigestClient::Answer::None
                     ? "and no challenge that we may answer (sip.proxy_realm)"
                     : "to our credentials (sip.proxy_user, sip.proxy_password_file)");
}

}  // namespace restante::sip
