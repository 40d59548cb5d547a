#pragma once

#include <string>

namespace restante {

/// "host/pid" of this process, one word: what others call it where several share a Redis.
std::string processName();

}  // namespace restante
