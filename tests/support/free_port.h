#pragma once

#include <cstdint>

namespace restante::test {

/// A port that is bound neither for TCP nor for UDP when it returns, and that no other test process
/// gets while this one lives. It is below the range of Linux's ephemeral ports, so that no outgoing
/// connection takes it. Throws std::runtime_error when there is none. Any thread.
std::uint16_t freePort();

}  // namespace restante::test
