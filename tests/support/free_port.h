#pragma once

#include "core/base/file_descriptor.h"

#include <cstdint>

namespace restante::test {

/// A port that is bound neither for TCP nor for UDP when it returns, and that no other test process
/// gets while this one lives. It is below the range of Linux's ephemeral ports, so that no outgoing
/// connection takes it. Throws std::runtime_error when there is none. Any thread.
std::uint16_t freePort();

/// A socket on 127.0.0.1 and its port. *Value.*
struct LoopbackSocket {
    FileDescriptor socket;
    std::uint16_t port = 0;
};

/// A bound socket of SOCK_STREAM or SOCK_DGRAM, on which nobody listens yet. Throws
/// std::runtime_error. Any thread.
LoopbackSocket boundOnLoopback(int type);

}  // namespace restante::test
