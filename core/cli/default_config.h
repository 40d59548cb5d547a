#pragma once

#include "core/base/result.h"

namespace restante::cli {

struct Options;

/// The configuration of a command line that names neither a Redis nor a configuration: the one that
/// RESTANTE_CONFIG names; else, unless --set names the store (state_dir), that of the
/// installed service: restante/restante.toml in the etc of the program's own prefix or in /etc.
/// None when there is no such file. Denied when it is there and this user may not read it: the
/// defaults would lead to another store.
Result<void> findConfig(Options& options);

}  // namespace restante::cli
