#pragma once

#include <string>

namespace restante::redis {

/// The server to start: what RESTANTE_REDIS_SERVER names in the environment (a path, or a name in
/// PATH), or else the first of redis-server and valkey-server that is in PATH; "redis-server" when
/// neither is.
std::string serverProgram();

/// Whether there is such a program: a path, or a name in PATH.
bool isProgram(const std::string& name);

}  // namespace restante::redis
