#pragma once

#include "tests/support/sip_text.h"

#include <string>
#include <string_view>

namespace restante::test {

/// The client's side of digest authentication (RFC 7616), independent of the product's code.
/// *Value.*
struct SipLogin {
    std::string user;
    std::string password;
    std::string algorithm = "SHA-256";  ///< or "MD5"

    struct Nonce {
        std::string realm;
        std::string nonce;
        std::string clientNonce;
    };
    /// The `response` parameter; a count of 0 selects the older form without qop.
    std::string response(const Nonce& nonce, const SipText& request, unsigned count) const;
    /// The value of Authorization that answers `challenge` for this request.
    std::string
    answer(const std::string& challenge, const SipText& request, unsigned count = 1) const;
    /// The request as a client repeats it after a 401: with the next CSeq, another branch, and the
    /// answer to the challenge of this login's algorithm.
    SipText repeated(SipText request, const SipText& refusal, unsigned count = 1) const;
    /// user:realm:hash, a line of `sip.auth.users`.
    std::string userLine(const std::string& realm) const;
};

/// The challenge of that algorithm in a 401, or the empty text.
std::string challengeIn(const SipText& refusal, std::string_view algorithm);

/// The value of one parameter of a challenge, without quotes.
std::string parameterOf(const std::string& challenge, std::string_view name);

}  // namespace restante::test
