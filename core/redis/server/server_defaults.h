#pragma once

#include <cstddef>
#include <string>

namespace restante::redis {

/// The server to start: the one that RESTANTE_REDIS_SERVER names in the environment (a path, or a
/// name in PATH), or else the first of redis-server and valkey-server that is in PATH;
/// "redis-server" when neither is.
std::string serverProgram();

/// Whether there is such a program: a path, or a name in PATH.
bool isProgram(const std::string& name);

/// The memory limit of an embedded Redis in bytes when none is configured: half of the machine's
/// memory, or of what its control group allows, and 64 MiB at least. The other half is for its copy
/// while it rewrites its file, for the daemon and for the system.
std::size_t defaultMemoryLimit();

}  // namespace restante::redis
