#include "core/base/log.h"
#include "core/base/version.h"
#include "core/cli/arguments.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/config/config_reader.h"
#include "core/json/document.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unistd.h>

namespace restante::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPackaged = "/etc/restante/restante.toml";
constexpr const char* kVariable = "RESTANTE_CONFIG";
constexpr std::string_view kStateDir = "state_dir=";

/// PREFIX/etc/restante/restante.toml of the program PREFIX/bin/restantectl, where the installation
/// puts it, if it is there; else the one of the package.
fs::path installedConfig()
{
    std::error_code problem;
    const auto program = fs::read_symlink("/proc/self/exe", problem);
    const auto own = program.parent_path().parent_path() / "etc/restante/restante.toml";
    // One that is out of this user's reach is there, too.
    const bool isThere = !problem && (access(own.c_str(), F_OK) == 0 || errno == EACCES);
    return isThere ? own : fs::path(kPackaged);
}

/// Whether --set says by itself whose store it is: a file of another daemon would only add what was
/// not meant.
bool namesStore(const std::vector<std::string>& overrides)
{
    return std::ranges::any_of(overrides, [](std::string_view text) {
        return text.starts_with(kStateDir) && text.size() > kStateDir.size();
    });
}

}  // namespace

Result<void> applyDefaultConfig(Options& options)
{
    if (!options.redis.empty() || !options.config.empty()) {
        return {};
    }
    const char* named = std::getenv(kVariable);
    const bool isNamed = named != nullptr && *named != '\0';
    if (!isNamed && namesStore(options.overrides)) {
        return {};
    }
    const std::string path = isNamed ? fs::path(named) : installedConfig();
    if (access(path.c_str(), R_OK) == 0) {
        options.config = path;
        return {};
    }
    const int problem = errno;
    if (problem == ENOENT && !isNamed) {
        return {};
    }
    if (problem == EACCES) {
        return failure(
            ErrorCode::Denied,
            fmt::format("{} says where the store is, and this user may not read it; run this as "
                        "root or as the daemon's user (sudo -u restante restantectl ...), or name "
                        "a store with --redis URL or --config FILE",
                        path));
    }
    return failure(ErrorCode::Invalid,
                   fmt::format("{}{} cannot be read: {}",
                               isNamed ? fmt::format("{}: ", kVariable) : std::string(), path,
                               std::generic_category().message(problem)));
}

int fail(const Error& error, const Options& options)
{
    if (options.json) {
        printJson({{"error", {{"code", name(error.code)}, {"message", error.message}}}});
    }
    fmt::print(stderr, "restantectl: {}\n", error.message);
    return error.code == ErrorCode::Invalid ? kExitUsage : kExitFailed;
}

void printJson(const nlohmann::json& document)
{
    fmt::print("{}\n", json::print(document));
}

void choose(CLI::App& command, Command& chosen, Command run, const std::function<void()>& check)
{
    command.callback([&chosen, run = std::move(run), check] {
        if (check) {
            check();
        }
        chosen = run;
    });
}

ConfigSources sourcesOf(const Options& options)
{
    ConfigSources sources;
    if (!options.config.empty()) {
        sources.file = options.config;
    }
    sources.overrides = options.overrides;
    if (!options.redis.empty()) {
        sources.overrides.push_back("redis.url=" + options.redis);
    }
    return sources;
}

namespace {

/// Where Redis is, by the configuration and the options.
Result<Config> configOf(const Options& options)
{
    auto config = readConfig(sourcesOf(options));
    if (!config) {
        std::string message;
        for (const auto& problem : config.error()) {
            message += (message.empty() ? "" : "\n             ") + problem.print();
        }
        return failure(ErrorCode::Invalid, message);
    }
    return std::move(*config);
}

int run(const Command& command, Options options)
{
    if (auto found = applyDefaultConfig(options); !found) {
        return fail(found.error(), options);
    }
    const auto config = configOf(options);
    if (!config) {
        return fail(config.error(), options);
    }
    auto store = ConnectedStore::open(*config);
    return store ? command(**store, options) : fail(store.error(), options);
}

int main(int argc, char** argv)
{
    std::setlocale(LC_TIME, "");
    // What goes wrong is told once, in words for the user; the parts' logs would repeat it.
    log::setLevel(log::Level::Off);

    CLI::App app("Looks into a Restante store and changes it.", "restantectl");
    app.set_version_flag("--version", "restantectl " + std::string(version()));
    app.require_subcommand(0, 1);
    app.fallthrough();
    Options options;
    auto* redis =
        app.add_option("--redis", options.redis, "redis://host[:port][/db] or unix:///path");
    app.add_option(
           "--config", options.config,
           "The daemon's configuration; state_dir alone is enough to find its Redis. Without "
           "it, --redis and --set state_dir=DIR, /etc/restante/restante.toml if that is there")
        ->excludes(redis);
    app.add_option("--set", options.overrides, "section.key=value, as for restanted")
        ->allow_extra_args(false);
    app.add_flag("--json", options.json, "Print JSON");
    Command chosen;
    StorelessCommand storeless;
    addPush(app, chosen);
    addRemind(app, chosen);
    addInspectCommands(app, chosen);
    addConsumerCommands(app, chosen);
    addOperatorCommands(app, chosen);
    addExportCommands(app, chosen);
    addTopicCommands(app, chosen);
    addJournalCommands(app, chosen);
    addTrace(app, chosen);
    addTop(app, chosen);
    addDoctor(app, storeless);
    addSipUser(app, storeless);
    refuseOddValues(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        return app.exit(problem) == 0 ? kExitOk : kExitUsage;
    }
    if (storeless) {
        return storeless(options);
    }
    if (!chosen) {
        fmt::print(stderr, "{}restantectl: a command is missing, see above\n", app.help());
        return kExitUsage;
    }
    return run(chosen, options);
}

}  // namespace
}  // namespace restante::cli

int main(int argc, char** argv)
{
    try {
        return restante::cli::main(argc, argv);
    } catch (const std::exception& problem) {
        fmt::print(stderr, "restantectl: {}\n", problem.what());
        return restante::cli::kExitFailed;
    }
}
