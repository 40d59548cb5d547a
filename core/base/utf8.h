#pragma once

#include <string_view>

namespace restante {

/// Whether all of it is well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing
/// above U+10FFFF). *Pure function.*
bool isUtf8(std::string_view text) noexcept;

}  // namespace restante
