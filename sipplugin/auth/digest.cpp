#include "sipplugin/auth/digest.h"

#include "core/base/encoding.h"
#include "core/base/text.h"

#include <fmt/format.h>

namespace restante::sip {

namespace {

tl::unexpected<Error> refused(std::string_view why)
{
    return failure(ErrorCode::Invalid, fmt::format("Authorization: {}", why));
}

}  // namespace

Result<DigestCredentials> DigestCredentials::read(const DigestFields& fields)
{
    for (const auto* needed : {"username", "realm", "nonce", "uri", "response", "cnonce", "nc"}) {
        if (fields.value(needed).empty()) {
            return refused(fmt::format("{} is missing", needed));
        }
    }
    if (!equalIgnoringCase(fields.value("qop"), "auth")) {
        return refused("qop is not auth");
    }
    if (equalIgnoringCase(fields.value("userhash"), "true")) {
        return refused("userhash was not offered");
    }
    DigestCredentials credentials;
    if (const auto* text = fields.find("algorithm")) {
        const auto algorithm = hashAlgorithmNamed(*text);
        if (!algorithm) {
            return refused("algorithm is neither SHA-256 nor MD5");
        }
        credentials.algorithm = *algorithm;
    }
    credentials.user = fields.value("username");
    credentials.realm = fields.value("realm");
    credentials.nonce = fields.value("nonce");
    credentials.uri = fields.value("uri");
    credentials.cnonce = fields.value("cnonce");
    credentials.response = lowered(fields.value("response"));
    credentials.count = fields.value("nc");
    const auto& response = credentials.response;
    if (response.size() != hexLength(credentials.algorithm) || !isHex(response)) {
        return refused("response has not the hex digits of its algorithm");
    }
    const auto& count = credentials.count;
    credentials.nonceCount = wholeNumber<std::uint32_t>(count, 16).value_or(0);
    if (count.size() != 8 || credentials.nonceCount == 0) {
        return refused("nc is not eight hex digits from 00000001");
    }
    return credentials;
}

std::string responseOf(HashAlgorithm algorithm, std::string_view ha1, const DigestInput& input)
{
    const auto ha2 = hexHash(algorithm, fmt::format("{}:{}", input.method, input.uri));
    const auto middle = input.count.empty()
                            ? std::string{input.nonce}
                            : fmt::format("{}:{}:{}:auth", input.nonce, input.count, input.cnonce);
    return hexHash(algorithm, fmt::format("{}:{}:{}", ha1, middle, ha2));
}

}  // namespace restante::sip
