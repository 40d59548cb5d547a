#pragma once

#include <string>

namespace restante::bench {

/// Why `program`, a path or a name that is looked for in PATH, cannot be started; "" when it can.
std::string whyNotStartable(const std::string& program);

}  // namespace restante::bench
