#pragma once

#include "core/config/config.h"
#include "core/config/config_keys.h"

#include <tl/expected.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace restante {

/// Where a configuration comes from, the later winning: defaults, the file, the overrides.
struct ConfigSources {
    std::optional<std::filesystem::path> file;
    std::vector<std::string> overrides;  ///< "section.key=value"; lists separated by commas
};

/// Reads and checks everything, and reports every problem at once, each with the file and line (or
/// "--set") and what is allowed. An unknown key is a problem; the nearest known one is named.
tl::expected<Config, std::vector<ConfigError>> readConfig(const ConfigSources& sources);

/// The same for TOML text; `name` stands for the file in problems.
tl::expected<Config, std::vector<ConfigError>> readConfigText(std::string_view toml,
                                                              std::string_view name);

/// The whole configuration as commented TOML that readConfigText() reads back as an equal Config.
/// For `Config{}` the text is resources/config/restante.toml.
std::string formatConfig(const Config& config);

}  // namespace restante
