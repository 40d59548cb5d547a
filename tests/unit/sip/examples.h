#pragma once

#include "core/base/clock.h"

#include <chrono>

namespace restante::sip {

// What many tests of this folder speak of: two people, and a moment.
inline constexpr auto kAlice = "sip:alice@example.com";
inline constexpr auto kBob = "sip:bob@example.com";
inline constexpr TimePoint kNow{std::chrono::seconds{1'700'000'000}};  ///< 2023-11-14T22:13:20Z

}  // namespace restante::sip
