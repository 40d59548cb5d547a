#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::sip {

/// The parameters of one `Digest name=value, name="value"` header (RFC 7616 sections 3.3 and 3.4;
/// RFC 3261 section 25.1): credentials or a challenge. *Value.*
class DigestFields {
public:
    /// Names another scheme, a parameter that cannot be read or one that stands twice as Invalid.
    /// Values are without quotes and escapes.
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

/// As a quoted-string, with escapes.
std::string quotedString(std::string_view text);

}  // namespace restante::sip
