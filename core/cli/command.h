#pragma once

#include "core/base/error.h"
#include "core/config/config_reader.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace restante::cli {

class Session;

/// The exit codes of every program of ours.
constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;

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
using Command = std::function<int(Session&, const Options&)>;

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

/// Tells the user (and, with --json, the program) what went wrong; the exit code for it.
int fail(const Error& error, const Options& options);

}  // namespace restante::cli
