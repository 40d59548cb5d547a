#include "core/base/log.h"
#include "core/base/version.h"
#include "core/config/config_reader.h"
#include "sipplugin/daemon/daemon.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <sys/stat.h>
#include <variant>

namespace restante::daemon {
namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

/// The parsed command line.
struct Arguments {
    ConfigSources sources;
    bool checkConfig = false;
    bool printConfig = false;
};

/// The exit code of what is printed: failure when it could not be written, as on a full disk.
int exitCodeOfOutput()
{
    // What is still in its buffer would be written, or lost, after the exit code is settled.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        fmt::print(stderr, "restanted: standard output cannot be written\n");
        return kExitFailure;
    }
    return 0;
}

/// The arguments, or the exit code when help, the version or an error was printed.
std::variant<Arguments, int> readArguments(int argc, char** argv)
{
    Arguments arguments;
    std::string file;
    CLI::App app("Keeps SIP messages and jobs until they can be delivered.", "restanted");
    app.set_version_flag("--version", "restanted " + std::string(version()));
    app.add_option("--config", file, "Configuration file (TOML); none = the defaults");
    app.add_option("--set", arguments.sources.overrides,
                   "section.key=value, overrides the file; commas part the elements of a list")
        ->allow_extra_args(false);
    app.add_flag("--check-config", arguments.checkConfig, "Check the configuration and exit");
    app.add_flag("--print-config", arguments.printConfig, "Print the whole configuration and exit");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        return app.exit(problem) == 0 ? exitCodeOfOutput() : kExitUsage;
    }
    if (!file.empty()) {
        arguments.sources.file = file;
    }
    return arguments;
}

int reportErrors(const std::vector<ConfigError>& problems)
{
    for (const auto& problem : problems) {
        fmt::print(stderr, "restanted: {}\n", problem.toString());
    }
    return kExitFailure;
}

int serve(Config config, const ConfigSources& sources)
{
    auto daemon = Daemon::start(std::move(config), sources);
    if (!daemon) {
        fmt::print(stderr, "restanted: {}\n", daemon.error().message);
        return kExitFailure;
    }
    if ((*daemon)->isStopping()) {
        return 0;
    }
    fmt::print("{}\n", (*daemon)->readyLine());
    std::fflush(stdout);
    (*daemon)->run();
    return 0;
}

int main(int argc, char** argv)
{
    const auto read = readArguments(argc, argv);
    if (const auto* exitCode = std::get_if<int>(&read)) {
        return *exitCode;
    }
    const auto& arguments = std::get<Arguments>(read);
    auto config = readConfig(arguments.sources);
    if (!config) {
        return reportErrors(config.error());
    }
    if (arguments.printConfig) {
        fmt::print("{}", formatConfig(*config));
        return exitCodeOfOutput();
    }
    if (arguments.checkConfig) {
        fmt::print("the configuration is fine\n");
        return exitCodeOfOutput();
    }
    log::setLevel(config->log.level);
    log::setFormat(config->log.format);
    // All files are private to the daemon's user: they hold messages, addresses, traces.
    ::umask(S_IRWXG | S_IRWXO);
    // A closed connection is then an error of one write and does not end the process.
    std::signal(SIGPIPE, SIG_IGN);
    return serve(std::move(*config), arguments.sources);
}

}  // namespace
}  // namespace restante::daemon

int main(int argc, char** argv)
{
    try {
        return restante::daemon::main(argc, argv);
    } catch (const std::exception& problem) {
        fmt::print(stderr, "restanted: {}\n", problem.what());
        return restante::daemon::kExitFailure;
    }
}
