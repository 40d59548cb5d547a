#pragma once

#include <chrono>

namespace restante {

/// Blocks until `descriptor` has one of the `events` of poll(2), or an error or hang-up for the
/// next call to find. False when the `deadline` has come, or poll(2) fails; a signal ends no wait.
/// *Any thread.*
bool awaitDescriptor(int descriptor, short events, std::chrono::steady_clock::time_point deadline);

}  // namespace restante
