#include "sipplugin/auth/digest.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <strings.h>

namespace restante::sip {

namespace {

tl::unexpected<Error> refused(std::string_view why)
{
    return failure(ErrorCode::Invalid, fmt::format("Authorization: {}", why));
}

bool same(std::string_view a, std::string_view b)
{
    return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

bool isHex(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    });
}

std::string lowered(std::string_view text)
{
    std::string lower{text};
    std::ranges::transform(lower, lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    });
    return lower;
}

}  // namespace

Result<DigestCredentials> DigestCredentials::read(const DigestFields& fields)
{
    for (const auto* needed : {"username", "realm", "nonce", "uri", "response", "cnonce", "nc"}) {
        if (fields.value(needed).empty()) {
            return refused(fmt::format("{} is missing", needed));
        }
    }
    if (!same(fields.value("qop"), "auth")) {
        return refused("qop is not auth");
    }
    if (same(fields.value("userhash"), "true")) {
        return refused("userhash was not offered");
    }
    DigestCredentials credentials;
    if (const auto* text = fields.find("algorithm")) {
        const auto algorithm = auth::hashAlgorithmNamed(*text);
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
    if (response.size() != auth::hexLength(credentials.algorithm) || !isHex(response)) {
        return refused("response has not the hex digits of its algorithm");
    }
    const auto& count = credentials.count;
    const auto* end = count.data() + count.size();
    const auto [stop, error] = std::from_chars(count.data(), end, credentials.nonceCount, 16);
    if (count.size() != 8 || error != std::errc{} || stop != end || credentials.nonceCount == 0) {
        return refused("nc is not eight hex digits from 00000001");
    }
    return credentials;
}

std::string responseOf(HashAlgorithm algorithm, std::string_view ha1, const DigestInput& input)
{
    const auto ha2 = auth::hexHash(algorithm, fmt::format("{}:{}", input.method, input.uri));
    const auto middle = input.count.empty()
                            ? std::string{input.nonce}
                            : fmt::format("{}:{}:{}:auth", input.nonce, input.count, input.cnonce);
    return auth::hexHash(algorithm, fmt::format("{}:{}:{}", ha1, middle, ha2));
}

}  // namespace restante::sip
