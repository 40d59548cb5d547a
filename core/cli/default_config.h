#pragma once

#include "core/base/result.h"

namespace restante::cli {

struct Options;

/// The configuration of a command line that names neither a Redis nor a configuration: that of the
/// packaged service, /etc/restante/restante.toml, or the one that RESTANTE_CONFIG names; none when
/// there is no such file. Denied when it is there and this user may not read it: the defaults would
/// lead to another store.
Result<void> findConfig(Options& options);

}  // namespace restante::cli
