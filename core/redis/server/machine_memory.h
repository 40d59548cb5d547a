#pragma once

#include <cstddef>

namespace restante::redis {

/// What an embedded Redis may hold when nobody says it: half of the machine's memory, or of what
/// its control group allows, and 64 MiB at least. The other half is for its copy while it rewrites
/// its file, for the daemon and for the system.
std::size_t halfOfTheMemory();

}  // namespace restante::redis
