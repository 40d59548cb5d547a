#include "sipplugin/outbound/digest_client.h"

#include "core/auth/ha1.h"
#include "core/base/text.h"
#include "sipplugin/auth/digest.h"

#include <algorithm>
#include <fmt/format.h>

namespace restante::sip {

namespace {

constexpr std::array<const char*, 2> kFields{"Authorization", "Proxy-Authorization"};
constexpr std::size_t kClientNonceBytes = 16;

/// Whether the comma-separated `qop` of a challenge offers "auth".
bool offersAuth(std::string_view options)
{
    while (!options.empty()) {
        const auto comma = std::min(options.find(','), options.size());
        if (equalIgnoringCase(trimmed(options.substr(0, comma)), "auth")) {
            return true;
        }
        options.remove_prefix(std::min(comma + 1, options.size()));
    }
    return false;
}

}  // namespace

DigestClient::Headers DigestClient::authorize(std::string_view method, std::string_view uri)
{
    Headers headers;
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
        if (sessions_[i]) {
            headers.emplace_back(kFields[i], credentials(*sessions_[i], method, uri));
        }
    }
    return headers;
}

DigestClient::Answer DigestClient::challenged(const Refusal& refusal)
{
    auto& session = sessions_[refusal.status == 407 ? 1 : 0];
    session.reset();
    if (!enabled()) {
        return Answer::None;
    }
    for (const auto& challenge : refusal.challenges) {
        auto offered = sessionOf(challenge);
        const bool better = offered && (!session || (session->algorithm == HashAlgorithm::Md5 &&
                                                     offered->algorithm == HashAlgorithm::Sha256));
        if (better) {
            session = std::move(offered);
        }
    }
    if (!session) {
        return Answer::None;
    }
    return session->stale ? Answer::Stale : Answer::Fresh;
}

std::optional<DigestClient::Session> DigestClient::sessionOf(const std::string& challenge) const
{
    const auto fields = DigestFields::parse(challenge);
    if (!fields) {
        return std::nullopt;
    }
    Session session;
    session.realm = fields->value("realm");
    session.nonce = fields->value("nonce");
    const bool ours = std::ranges::find(login_.realms, session.realm) != login_.realms.end();
    if (!ours || session.nonce.empty()) {
        return std::nullopt;
    }
    if (const auto* named = fields->find("algorithm")) {
        const auto algorithm = hashAlgorithmNamed(*named);
        if (!algorithm) {
            return std::nullopt;
        }
        session.algorithm = *algorithm;
        session.namesAlgorithm = true;
    }
    if (const auto* options = fields->find("qop")) {
        if (!offersAuth(*options)) {
            return std::nullopt;
        }
        session.qop = true;
    }
    if (const auto* opaque = fields->find("opaque")) {
        session.opaque = *opaque;
    }
    session.stale = equalIgnoringCase(fields->value("stale"), "true");
    return session;
}

std::string
DigestClient::credentials(Session& session, std::string_view method, std::string_view uri) const
{
    const auto ha1 = auth::ha1Of(session.algorithm, login_.user, session.realm, login_.password);
    const auto count = session.qop ? fmt::format("{:08x}", ++session.uses) : std::string{};
    const auto clientNonce = session.qop ? randomHex(kClientNonceBytes) : std::string{};
    const auto response =
        responseOf(session.algorithm, ha1, {method, uri, session.nonce, count, clientNonce});
    auto text = fmt::format("Digest username={}, realm={}, nonce={}, uri={}, response=\"{}\"",
                            quotedString(login_.user), quotedString(session.realm),
                            quotedString(session.nonce), quotedString(uri), response);
    if (session.namesAlgorithm) {
        text += fmt::format(", algorithm={}", name(session.algorithm));
    }
    if (session.qop) {
        text += fmt::format(", qop=auth, nc={}, cnonce=\"{}\"", count, clientNonce);
    }
    if (session.opaque) {
        text += fmt::format(", opaque={}", quotedString(*session.opaque));
    }
    return text;
}

}  // namespace restante::sip
