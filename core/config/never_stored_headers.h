#pragma once

#include <string_view>

namespace restante {

/// True for headers that are written anew for each delivery, such as From or Via, that tell how a
/// network is built, or that carry credentials: none is kept among the headers of a stored message,
/// so that `sip.headers` must not name them. Compared without case; a compact form counts as its
/// long one. *Pure function.*
bool isNeverStored(std::string_view header) noexcept;

}  // namespace restante
