#pragma once

#include <string>
#include <string_view>

namespace restante::sip {

/// The first 128 bits of the text's SHA-256 as 32 hex digits: a short token that stands for it and
/// that nobody can aim at another text's. *Pure function.*
std::string fingerprint(std::string_view text);

}  // namespace restante::sip
