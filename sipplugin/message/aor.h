#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace restante::sip {

/// A SIP or SIPS URI taken apart (RFC 3261 section 19.1). *Value.*
struct SipUri {
    std::string scheme;      ///< "sip" | "sips"
    std::string user;        ///< as written, still escaped, without password
    std::string host;        ///< lower case; IPv6 in brackets
    std::uint16_t port = 0;  ///< 0 = none given
    std::vector<std::pair<std::string, std::string>> params;  ///< names in lower case
    std::string headers;                                      ///< what follows "?"

    const std::string* param(std::string_view name) const;
};

/// Refuses other schemes, an empty or malformed host and anything with space or control.
Result<SipUri> parseSipUri(std::string_view text);

/// The address of record a URI names, as one canonical text: scheme `sip`, user with needless
/// escapes undone, host in lower case, no port, no parameters: "sip:Bob@example.com",
/// "sip:bob@[2001:db8::1]". A URI without user is refused: it names no one.
Result<std::string> canonicalAor(std::string_view uri);
/// The same of a parsed URI.
Result<std::string> aorOf(const SipUri& uri);

/// Makes canonicalAor() write users in lower case or as given (`sip.user_case`). Applies to the
/// whole process, because an AoR is the same text everywhere; call it before any AoR is made.
void foldUsers(bool fold) noexcept;

/// The host of a canonical AoR, IPv6 with brackets.
std::string_view hostOfAor(std::string_view aor);

/// Whether `text` is a token of RFC 3261 section 25.1: at least one character.
bool isToken(std::string_view text) noexcept;

/// `"Bob" <sip:bob@example.com;x=y>;tag=1` taken apart (RFC 3261 section 20.10). *Value.*
struct NameAddr {
    std::string displayName;  ///< as written, with its quotes
    std::string uri;
    std::vector<std::pair<std::string, std::string>> params;  ///< in order, values as written

    const std::string* param(std::string_view name) const;
    /// Always with angle brackets; without the parameter `tag`. A name that is neither quoted nor
    /// made of tokens is quoted.
    std::string formatWithoutTag() const;
};
Result<NameAddr> parseNameAddr(std::string_view text);

/// The parameter `tag` of a From or To header; "" when there is none.
std::string tagOf(std::string_view header);

/// Splits a comma-separated list of name-addrs, minding quotes and angle brackets.
std::vector<std::string_view> splitAddresses(std::string_view text);

}  // namespace restante::sip
