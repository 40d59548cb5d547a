#pragma once

#include <cstdint>

namespace restante::bench {

/// The reference for "stored -> delivered": nta alone sends `messages` MESSAGEs to
/// 127.0.0.1:`port`, each when the one before has its final answer (`window` 1) or with up to
/// `window` unanswered. Seconds until the last answer; negative when one was not 200.
double runBareSipSender(std::uint16_t port, std::uint32_t messages, std::uint32_t window);

}  // namespace restante::bench
