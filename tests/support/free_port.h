#pragma once

#include <cstdint>

namespace restante::test {

/// A port of 127.0.0.1 that nobody has bound, neither over TCP nor over UDP, when it returns, and
/// that no other test process is given while this one lives. It is below the range from which Linux
/// takes the ports of outgoing connections, so that none of those is in the way either.
/// Throws std::runtime_error when there is none. Any thread.
std::uint16_t freePort();

}  // namespace restante::test
