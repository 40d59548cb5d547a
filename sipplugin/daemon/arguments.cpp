#include "sipplugin/daemon/arguments.h"

#include "core/base/version.h"

#include <CLI/CLI.hpp>

namespace restante::daemon {

std::variant<Arguments, int> readArguments(int argc, char** argv)
{
    constexpr int kUsage = 2;
    Arguments arguments;
    std::string file;
    CLI::App app("Keeps SIP messages and jobs until they can be delivered.", "restanted");
    app.set_version_flag("--version", "restanted " + std::string(version()));
    app.add_option("--config", file, "Configuration file (TOML); none = the defaults");
    app.add_option("--set", arguments.sources.overrides, "section.key=value, overrides the file")
        ->allow_extra_args(false);
    app.add_flag("--check-config", arguments.checkConfig, "Check the configuration and exit");
    app.add_flag("--print-config", arguments.printConfig, "Print the whole configuration and exit");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        return app.exit(problem) == 0 ? 0 : kUsage;
    }
    if (!file.empty()) {
        arguments.sources.file = file;
    }
    return arguments;
}

}  // namespace restante::daemon
