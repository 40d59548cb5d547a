#pragma once

#include <string>

namespace restante {

/// "host/pid" of this process, one word: its name among processes that share a Redis.
std::string hostAndPid();

}  // namespace restante
