#pragma once

#include "core/base/result.h"
#include "core/config/config_reader.h"

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace restante::cli {

class ConnectedStore;

/// The exit codes of every program of ours.
constexpr int kExitOk = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

/// What the user asked for besides the command itself.
struct Options {
    std::string redis;
    std::string config;
    std::vector<std::string> overrides;
    bool json = false;
    bool repair = false;      ///< doctor: what a script cut short has left is put right
    std::string reason = {};  ///< doctor: why
};

/// One command, ready to run; answers the exit code.
using Command = std::function<int(ConnectedStore&, const Options&)>;

/// The same for a command that has to work without a store; one that reads the configuration finds
/// it itself.
using StorelessCommand = std::function<int(const Options&)>;

/// Each adds its commands to `app`; the one that the command line names ends in `chosen`.
void addPush(CLI::App& app, Command& chosen);
void addRemind(CLI::App& app, Command& chosen);
void addInspectCommands(CLI::App& app, Command& chosen);  // list show stats
/// run reschedule hold release bury delete restore purge
void addOperatorCommands(CLI::App& app, Command& chosen);
void addConsumerCommands(CLI::App& app, Command& chosen);  // pop finish
void addExportCommands(CLI::App& app, Command& chosen);    // export import
void addTopicCommands(CLI::App& app, Command& chosen);     // topics pause resume limit
void addJournalCommands(CLI::App& app, Command& chosen);   // recover
void addTrace(CLI::App& app, Command& chosen);
void addTop(CLI::App& app, Command& chosen);
void addDoctor(CLI::App& app, StorelessCommand& chosen);
void addSipUser(CLI::App& app, StorelessCommand& chosen);

/// Where the options say that the configuration comes from.
ConfigSources sourcesOf(const Options& options);

/// Names the configuration of a command line that names neither a Redis nor a configuration: the
/// one of RESTANTE_CONFIG; else, unless --set names the store (state_dir), that of the installed
/// service: restante/restante.toml in the etc of the program's own prefix or in /etc. None when
/// there is no such file. Denied when it is there and this user may not read it: the defaults would
/// lead to another store.
Result<void> applyDefaultConfig(Options& options);

/// Has the command line that names `command` choose `run`, unless `check` throws a usage error.
void choose(CLI::App& command,
            Command& chosen,
            Command run,
            const std::function<void()>& check = {});

/// `run` with what its command line said.
template <class Line>
Command with(const std::shared_ptr<Line>& line,
             int (*run)(ConnectedStore&, const Options&, const Line&))
{
    return [line, run](ConnectedStore& store, const Options& options) {
        return run(store, options, *line);
    };
}

/// Tells the user (and, with --json, the program) what went wrong; the exit code for it.
int fail(const Error& error, const Options& options);
/// One line on standard output.
void printJson(const nlohmann::json& document);

/// Tells how it went: what is wrong, or with --json what `document` makes of the value, or else
/// what `print` prints of it. The exit code.
template <class T, class Document, class Print>
int tell(const Result<T>& result,
         const Options& options,
         const Document& document,
         const Print& print)
{
    if (!result) {
        return fail(result.error(), options);
    }
    if (options.json) {
        printJson(document(*result));
    } else {
        print(*result);
    }
    return kExitOk;
}

}  // namespace restante::cli
