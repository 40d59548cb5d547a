#include "tests/support/sip_login.h"

#include "core/base/crypto.h"

#include <array>
#include <cstdio>

namespace restante::test {

namespace {

std::string hash(const std::string& algorithm, const std::string& text)
{
    return hexHash(algorithm == "MD5" ? HashAlgorithm::Md5 : HashAlgorithm::Sha256, text);
}

std::string eightDigits(unsigned count)
{
    std::array<char, 16> digits{};
    std::snprintf(digits.data(), digits.size(), "%08x", count);
    return digits.data();
}

}  // namespace

std::string parameterOf(const std::string& challenge, std::string_view name)
{
    const auto start = challenge.find(" " + std::string(name) + "=");
    if (start == std::string::npos) {
        return {};
    }
    auto value = challenge.substr(start + name.size() + 2);
    if (value.starts_with('"')) {
        return value.substr(1, value.find('"', 1) - 1);
    }
    return value.substr(0, value.find(','));
}

std::string challengeIn(const SipText& refusal, std::string_view algorithm)
{
    for (const auto& challenge : refusal.all("WWW-Authenticate")) {
        if (parameterOf(challenge, "algorithm") == algorithm) {
            return challenge;
        }
    }
    return {};
}

std::string SipLogin::response(const Nonce& nonce, const SipText& request, unsigned count) const
{
    const auto ha1 = hash(algorithm, user + ":" + nonce.realm + ":" + password);
    const auto ha2 = hash(algorithm, request.method() + ":" + request.requestUri());
    const auto middle =
        count == 0 ? nonce.nonce
                   : nonce.nonce + ":" + eightDigits(count) + ":" + nonce.clientNonce + ":auth";
    return hash(algorithm, ha1 + ":" + middle + ":" + ha2);
}

std::string
SipLogin::answer(const std::string& challenge, const SipText& request, unsigned count) const
{
    const Nonce nonce{parameterOf(challenge, "realm"), parameterOf(challenge, "nonce"),
                      uniqueToken()};
    return "Digest username=\"" + user + "\", realm=\"" + nonce.realm + "\", nonce=\"" +
           nonce.nonce + "\", uri=\"" + request.requestUri() + "\", response=\"" +
           response(nonce, request, count) + "\", algorithm=" + algorithm + ", cnonce=\"" +
           nonce.clientNonce + "\", qop=auth, nc=" + eightDigits(count);
}

SipText SipLogin::repeated(SipText request, const SipText& refusal, unsigned count) const
{
    const auto cseq = std::stoul(request.header("CSeq"));
    const auto branch = request.branch();
    auto via = request.header("Via");
    via.replace(via.find(branch), branch.size(), "z9hG4bK" + uniqueToken());
    request.set("Via", via);
    request.set("CSeq", std::to_string(cseq + 1) + " " + request.method());
    request.set("Authorization", answer(challengeIn(refusal, algorithm), request, count));
    return request;
}

std::string SipLogin::userLine(const std::string& realm) const
{
    return user + ":" + realm + ":" + hash(algorithm, user + ":" + realm + ":" + password);
}

}  // namespace restante::test
