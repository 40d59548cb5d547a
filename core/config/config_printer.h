#pragma once

#include "core/config/config.h"

#include <string>

namespace restante {

/// The whole configuration as commented TOML that readConfigText() reads back as an equal Config.
/// Of `Config{}` it is resources/config/restante.toml.
std::string printConfig(const Config& config);

}  // namespace restante
