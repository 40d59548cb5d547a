#pragma once

#include <string_view>

namespace restante {

/// True for headers that belong to one hop or one transaction, that tell how a network is built, or
/// that carry credentials: they never travel with a stored message, so that `sip.headers` must not
/// name them. Compared without case; a compact form counts as its long one. *Pure function.*
bool isNeverStored(std::string_view header) noexcept;

}  // namespace restante
