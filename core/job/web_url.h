#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace restante {

/// An http or https URL, taken apart. *Value.*
struct WebUrl {
    bool tls = false;
    std::string host;        ///< lower case, without brackets, as written otherwise
    std::uint16_t port = 0;  ///< as written, else 80 or 443
    std::string target;      ///< path and query, "/" at least

    /// "hooks.example.org:443", "[::1]:8080": for messages and for limits per host. Without the
    /// path and the query, which may be secret.
    std::string authority() const;
    /// Whether the host is written as an IPv4 or IPv6 address.
    bool isAddress() const noexcept;
};

/// As long as the recipient of a webhook may be.
inline constexpr std::size_t kLongestWebUrl = 2'048;

/// Parses a URL to which a webhook may be sent. Stricter than RFC 3986, so that all parsers find
/// the same host in it: printable ASCII, no user name or password, no backslash, no fragment, no
/// zone. The message says what is allowed.
Result<WebUrl> parseWebUrl(std::string_view text, std::size_t longest = kLongestWebUrl);

}  // namespace restante
