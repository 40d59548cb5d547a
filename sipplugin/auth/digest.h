#pragma once

#include "core/base/crypto.h"
#include "core/base/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace restante::sip {

/// One `Digest name=value, name="value"` header (RFC 7616 sections 3.3 and 3.4). *Value.*
class DigestFields {
public:
    /// Invalid names what is wrong. Values are without quotes and escapes.
    static Result<DigestFields> parse(std::string_view header);

    /// The value of that (lower-case) name; null when there is none.
    const std::string* find(std::string_view name) const noexcept;
    /// The same, "" when there is none.
    std::string_view value(std::string_view name) const noexcept;

private:
    std::vector<std::pair<std::string, std::string>> fields_;  ///< names in lower case
};

/// True when the header's scheme is Digest.
bool isDigest(std::string_view header) noexcept;

/// `text` as a quoted-string, with escapes.
std::string quotedString(std::string_view text);

/// A client's credentials in answer to a challenge (RFC 7616 section 3.4), qop=auth. *Value.*
struct DigestCredentials {
    std::string user;
    std::string realm;
    std::string nonce;
    std::string uri;
    std::string cnonce;
    std::string response;  ///< lower case
    std::string nc;        ///< `nc` as written: eight hex digits
    std::uint32_t nonceCount = 0;
    HashAlgorithm algorithm = HashAlgorithm::Md5;  ///< RFC 7616: none given is MD5

    /// Invalid names the parameter that is missing, wrong or was not offered (no qop, auth-int
    /// ...).
    static Result<DigestCredentials> read(const DigestFields& fields);
};

/// The input of the response hash, without the HA1.
struct DigestInput {
    std::string_view method;
    std::string_view uri;
    std::string_view nonce;
    std::string_view nc;  ///< `nc`; empty = the older form without qop (RFC 2069)
    std::string_view cnonce;
};

/// `response` of RFC 7616 section 3.4.1 for the HA1 of the user: hex. *Pure function.*
std::string responseOf(HashAlgorithm algorithm, std::string_view ha1, const DigestInput& input);

}  // namespace restante::sip
