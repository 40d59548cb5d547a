#pragma once

#include <string_view>

namespace restante {

/// True for the SIP headers that say who sent a message: From, and what a network asserts or signs
/// about its users (RFC 3325, RFC 6050, RFC 8224). Only a message that came by SIP may carry them;
/// whoever pushes a job names its `sender`. Compared without case. *Pure function.*
bool tellsWhoSent(std::string_view header) noexcept;

}  // namespace restante
