#pragma once

#include <string>

namespace restante::bench {

/// Waits until the journal has everything that happened in the store behind `redisSocket`, and its
/// recorder has told Redis so. Costs the recorder nothing: only Redis is asked, now and then.
/// Throws when it takes longer than ten minutes.
void awaitRecorded(const std::string& redisSocket);

}  // namespace restante::bench
