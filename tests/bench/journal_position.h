#pragma once

#include <string>

namespace restante::bench {

/// Waits until the journal has all events of the store behind `redisSocket`, as its recorder has
/// noted in Redis. Does not load the recorder, because it only polls Redis. Throws after ten
/// minutes.
void awaitRecorded(const std::string& redisSocket);

}  // namespace restante::bench
