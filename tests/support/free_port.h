#pragma once

#include <cstdint>

namespace restante::test {

/// A port of 127.0.0.1 that nobody has bound, neither over TCP nor over UDP, when it returns.
std::uint16_t freePort();

}  // namespace restante::test
