#pragma once

#include <cstdint>

namespace restante::bench {

/// The time until the last answer, and the CPU time of the sending thread.
struct BareSending {
    double seconds = 0;
    double cpuMicroseconds = 0;
};

/// The reference for "stored -> delivered": nta alone sends `messages` MESSAGEs to
/// 127.0.0.1:`port`, each when the one before has its final answer (`window` 1) or with up to
/// `window` unanswered. Throws std::runtime_error when an answer was not 200.
BareSending runBareSipSender(std::uint16_t port, std::uint32_t messages, std::uint32_t window);

}  // namespace restante::bench
