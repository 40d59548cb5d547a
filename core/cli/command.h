#pragma once

#include "core/base/result.h"
#include "core/config/config_reader.h"
#include "core/job/job_filter.h"
#include "core/job/retry_schedule.h"
#include "core/queue/topic.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
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

/// The options that are common to all commands.
struct Options {
    std::string redis;
    std::string config;
    std::vector<std::string> overrides;
    bool json = false;
    bool repair = false;      ///< doctor: repair what an interrupted script has left
    std::string reason = {};  ///< doctor: the reason of the repair
};

/// Refuses the command line: throws, so that the program ends with `message` and kExitUsage. Not to
/// be called once a command runs.
[[noreturn]] void refuseUsage(const std::string& message);

/// The variable that an option sets; its type says how the text is read: text, a number, whether it
/// is given, or a value of the domain: a time (RFC 3339, or "2026-12-31 09:00" in local time), a
/// duration, a channel, a state, a rate, or a schedule of retries.
using OptionValue = std::variant<bool*,
                                 std::string*,
                                 std::optional<std::string>*,
                                 std::vector<std::string>*,
                                 int*,
                                 std::uint32_t*,
                                 std::optional<std::uint32_t>*,
                                 std::size_t*,
                                 std::optional<TimePoint>*,
                                 std::optional<Millis>*,
                                 std::optional<Channel>*,
                                 std::optional<JobState>*,
                                 std::optional<Rate>*,
                                 RetrySchedule*>;

/// Further conditions of an option. *Value.*
struct OptionRules {
    bool required = false;
    CLI::Option* excludes = nullptr;
    CLI::Option* needs = nullptr;
    std::optional<std::pair<int, int>> between = {};
    const char* shownAs = nullptr;  ///< the name of its value in the help
    char separator = '\0';          ///< separates several values in one word
    bool oneAtATime = false;        ///< of a list: one value per use of the option
};

/// A command, or a group of its options. *Value*, good as long as its CommandLine.
class Command {
public:
    explicit Command(CLI::App* app) : app_(app) {}

    /// "--name", or an argument "name". A text that cannot be read is a usage error with the
    /// reason, before anything is connected.
    CLI::Option* option(const std::string& name,
                        OptionValue value,
                        const std::string& help,
                        const OptionRules& rules = {}) const;
    /// --reason: why an operator does it.
    CLI::Option* reason(std::string* value, const OptionRules& rules = {}) const;
    /// A group of options of which `least` to `most` must be given.
    Command group(const std::string& name, std::size_t least, std::size_t most) const;

private:
    CLI::App* app_;
};

/// The arguments of a command without options of its own.
struct NoOptions {};

/// The commands of the program; parses the command line and runs the command it names. *One
/// thread.*
class CommandLine {
public:
    CommandLine();
    ~CommandLine();

    /// Adds a command and the `Arguments` that its options fill. `act` is called with them after
    /// `check`, which may refuse or complete them.
    template <class Arguments>
    std::pair<Command, Arguments&>
    add(const std::string& name,
        const std::string& help,
        int (*act)(ConnectedStore&, const Options&, const Arguments&),
        void (*check)(Arguments&) = nullptr)
    {
        return addWithArguments<Arguments>(
            name, help,
            [act](const Options& options, const Arguments& arguments) {
                return inStore(options,
                               [act, &arguments](ConnectedStore& store, const Options& completed) {
                                   return act(store, completed, arguments);
                               });
            },
            check);
    }
    /// The same for a command that works without a store; it reads the configuration itself if it
    /// needs it.
    template <class Arguments>
    std::pair<Command, Arguments&> add(const std::string& name,
                                       const std::string& help,
                                       int (*act)(const Options&, const Arguments&))
    {
        return addWithArguments<Arguments>(name, help, act, nullptr);
    }

    /// Parses the command line and runs its command; returns the exit code.
    int run(int argc, char** argv);

private:
    template <class Arguments, class Act>
    std::pair<Command, Arguments&> addWithArguments(const std::string& name,
                                                    const std::string& help,
                                                    Act act,
                                                    void (*check)(Arguments&))
    {
        auto arguments = std::make_shared<Arguments>();
        const auto command = addCommand(name, help, [this, arguments, act, check] {
            if (check != nullptr) {
                check(*arguments);
            }
            chosenCommand_ = [arguments, act](const Options& options) {
                return act(options, *arguments);
            };
        });
        return {command, *arguments};
    }
    Command
    addCommand(const std::string& name, const std::string& help, std::function<void()> onNamed);
    /// Connects to the store that the options select, and calls `act` with it.
    static int inStore(Options options,
                       const std::function<int(ConnectedStore&, const Options&)>& act);

    std::unique_ptr<CLI::App> app_;
    Options options_;
    std::function<int(const Options&)> chosenCommand_;
};

/// Each adds its commands.
void addQueueCommands(CommandLine& commands);  // push pop finish
void addRemind(CommandLine& commands);
void addInspectCommands(CommandLine& commands);  // list show stats
/// run reschedule hold release bury delete restore purge
void addOperatorCommands(CommandLine& commands);
void addExportCommands(CommandLine& commands);  // export import
void addTopicCommands(CommandLine& commands);   // topics pause resume limit
void addRecover(CommandLine& commands);
void addDaemons(CommandLine& commands);
void addMailboxes(CommandLine& commands);
void addTrace(CommandLine& commands);
void addTop(CommandLine& commands);
void addDoctor(CommandLine& commands);
void addSipUser(CommandLine& commands);

/// The reason if the operator gives none.
inline constexpr const char* kDefaultReason = "restantectl";

/// Parses --filter; an invalid one is a usage error, which names the column.
JobFilter parseFilterOption(const std::string& text);

/// `text` as one word of a shell's command line, whatever is in it.
std::string shellWord(std::string_view text);

/// The sources of the configuration that the options name.
ConfigSources sourcesOf(const Options& options);

/// Sets options.config if the command line names neither a Redis nor a configuration: to the file
/// of RESTANTE_CONFIG; else, unless --set names the store (state_dir), to that of the installed
/// service: restante/restante.toml in the etc of the program's own prefix or in /etc, if it is
/// there. Denied when this user may not read the file: the defaults would lead to another store.
/// Invalid when it cannot be read for another reason, as one that RESTANTE_CONFIG names and that
/// does not exist.
Result<void> applyDefaultConfig(Options& options);

/// Prints the error (also as JSON with --json); returns the exit code.
int fail(const Error& error, const Options& options);
/// One line on standard output.
void printJson(const nlohmann::json& document);

/// Prints a result: the error, or the value by `document` with --json, else by `print`. Returns the
/// exit code.
template <class T, class Document, class Print>
int printResult(const Result<T>& result,
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
