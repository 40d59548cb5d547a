#include "core/base/log.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/config/config_reader.h"
#include "core/json/document.h"

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdio>
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

constexpr const char* kPackagedConfig = "/etc/restante/restante.toml";
constexpr const char* kConfigVariable = "RESTANTE_CONFIG";
constexpr std::string_view kStateDirOverride = "state_dir=";

/// PREFIX/etc/restante/restante.toml of the program PREFIX/bin/restantectl, where the installation
/// puts it, if it is there; else the one of the package.
fs::path installedConfig()
{
    std::error_code problem;
    const auto program = fs::read_symlink("/proc/self/exe", problem);
    const auto besideProgram = program.parent_path().parent_path() / "etc/restante/restante.toml";
    // A file that this user may not access exists, too.
    const bool isThere = !problem && (access(besideProgram.c_str(), F_OK) == 0 || errno == EACCES);
    return isThere ? besideProgram : fs::path(kPackagedConfig);
}

/// Whether --set names a state directory, and so the store of another daemon than the installed
/// one, whose configuration must not be read then.
bool namesStore(const std::vector<std::string>& overrides)
{
    return std::ranges::any_of(overrides, [](std::string_view text) {
        return text.starts_with(kStateDirOverride) && text.size() > kStateDirOverride.size();
    });
}

/// Reads the configuration that the options select.
Result<Config> configOf(const Options& options)
{
    auto config = readConfig(sourcesOf(options));
    if (!config) {
        std::string message;
        for (const auto& problem : config.error()) {
            message += (message.empty() ? "" : "\n             ") + problem.toString();
        }
        return invalid(message);
    }
    return std::move(*config);
}

/// Sends what nobody waits for, such as the end of the reservation of a pushed id, which would stay
/// for a minute.
void flushCommands(ConnectedStore& store)
{
    constexpr Millis kTimeLimit{2'000};
    bool isFlushed = false;
    store.loop().post([&isFlushed] { isFlushed = true; });
    store.loop().runUntil([&] { return isFlushed && store.connection().inFlight() == 0; },
                          kTimeLimit);
}

}  // namespace

Result<void> applyDefaultConfig(Options& options)
{
    if (!options.redis.empty() || !options.config.empty()) {
        return {};
    }
    const char* variable = std::getenv(kConfigVariable);
    const bool isVariableSet = variable != nullptr && *variable != '\0';
    if (!isVariableSet && namesStore(options.overrides)) {
        return {};
    }
    const std::string path = isVariableSet ? fs::path(variable) : installedConfig();
    if (access(path.c_str(), R_OK) == 0) {
        options.config = path;
        return {};
    }
    const int problem = errno;
    if (problem == ENOENT && !isVariableSet) {
        return {};
    }
    if (problem == EACCES) {
        return failure(ErrorCode::Denied,
                       "{} says where the store is, and this user may not read it; run this as "
                       "root or as the daemon's user (sudo -u restante restantectl ...), or name "
                       "a store with --redis URL or --config FILE",
                       path);
    }
    return invalid("{}{} cannot be read: {}",
                   isVariableSet ? fmt::format("{}: ", kConfigVariable) : std::string(), path,
                   std::generic_category().message(problem));
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
    fmt::print("{}\n", json::toString(document));
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

int CommandLine::inStore(Options options,
                         const std::function<int(ConnectedStore&, const Options&)>& act)
{
    if (const auto applied = applyDefaultConfig(options); !applied) {
        return fail(applied.error(), options);
    }
    const auto config = configOf(options);
    if (!config) {
        return fail(config.error(), options);
    }
    auto store = ConnectedStore::open(*config);
    if (!store) {
        return fail(store.error(), options);
    }
    (*store)->openColdJobs(options);
    const int exitCode = act(**store, options);
    flushCommands(**store);
    return exitCode;
}

}  // namespace restante::cli

int main(int argc, char** argv)
{
    using namespace restante;
    try {
        std::setlocale(LC_TIME, "");
        // Errors are printed once for the user; logs would repeat them.
        log::setLevel(log::Level::Off);
        cli::CommandLine commands;
        for (const auto add :
             {cli::addQueueCommands, cli::addRemind, cli::addInspectCommands,
              cli::addOperatorCommands, cli::addExportCommands, cli::addTopicCommands,
              cli::addRecover, cli::addDaemons, cli::addMailboxes, cli::addTrace, cli::addTop,
              cli::addDoctor, cli::addSipUser}) {
            add(commands);
        }
        const int exitCode = commands.run(argc, argv);
        // What is still in its buffer would be written, or lost, after the exit code is settled.
        if (exitCode == cli::kExitOk && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)) {
            fmt::print(stderr, "restantectl: standard output cannot be written\n");
            return cli::kExitFailed;
        }
        return exitCode;
    } catch (const std::exception& problem) {
        fmt::print(stderr, "restantectl: {}\n", problem.what());
        return cli::kExitFailed;
    }
}
