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

/// What the user asked for besides the command itself.
struct Options {
    std::string redis;
    std::string config;
    std::vector<std::string> overrides;
    bool json = false;
    bool repair = false;      ///< doctor: what a script cut short has left is put right
    std::string reason = {};  ///< doctor: why
};

/// Ends the program as a command line that is wrong does: with `message` and kExitUsage. Of no use
/// once a command runs.
[[noreturn]] void refuseUsage(const std::string& message);

/// Where an option puts what it says, read as what is there: text, a number, whether it is given,
/// or a value of the domain: a time (RFC 3339, or "2026-12-31 09:00" in local time), a duration, a
/// channel, a state, a rate, or a schedule of retries.
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

/// What an option asks for besides a value that can be read. *Value.*
struct OptionRules {
    bool required = false;
    CLI::Option* excludes = nullptr;
    CLI::Option* needs = nullptr;
    std::optional<std::pair<int, int>> between = {};
    const char* shownAs = nullptr;  ///< what the help calls its value
    char separator = '\0';          ///< several values may stand in one word, with this between
    bool oneAtATime = false;        ///< of a list: one value each time that it is given
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
    /// Options of which so many must be given.
    Command group(const std::string& name, std::size_t least, std::size_t most) const;

private:
    CLI::App* app_;
};

/// What a command that takes no options of its own is given.
struct NoWords {};

/// The commands of the program, and the one that its command line names. *One thread.*
class CommandLine {
public:
    CommandLine();
    ~CommandLine();

    /// A command, and where its options put what they say: `act` is called with that, after `check`
    /// has refused what makes no sense, or completed it.
    template <class Line>
    std::pair<Command, Line&> add(const std::string& name,
                                  const std::string& help,
                                  int (*act)(ConnectedStore&, const Options&, const Line&),
                                  void (*check)(Line&) = nullptr)
    {
        return addLine<Line>(
            name, help,
            [act](const Options& options, const Line& line) {
                return inStore(options, [act, &line](ConnectedStore& store, const Options& found) {
                    return act(store, found, line);
                });
            },
            check);
    }
    /// The same for a command that has to work without a store; one that reads the configuration
    /// finds it itself.
    template <class Line>
    std::pair<Command, Line&>
    add(const std::string& name, const std::string& help, int (*act)(const Options&, const Line&))
    {
        return addLine<Line>(name, help, act, nullptr);
    }

    /// Reads the command line and runs what it names; the exit code.
    int run(int argc, char** argv);

private:
    template <class Line, class Act>
    std::pair<Command, Line&>
    addLine(const std::string& name, const std::string& help, Act act, void (*check)(Line&))
    {
        auto line = std::make_shared<Line>();
        const auto command = addCommand(name, help, [this, line, act, check] {
            if (check != nullptr) {
                check(*line);
            }
            chosen_ = [line, act](const Options& options) { return act(options, *line); };
        });
        return {command, *line};
    }
    Command
    addCommand(const std::string& name, const std::string& help, std::function<void()> named);
    /// Connects to the store that the options mean, and does it there.
    static int inStore(Options options,
                       const std::function<int(ConnectedStore&, const Options&)>& act);

    std::unique_ptr<CLI::App> app_;
    Options options_;
    std::function<int(const Options&)> chosen_;
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

/// The reason of an operator who gives none.
inline constexpr const char* kUsualReason = "restantectl";

/// What --filter says; one that cannot be read is a usage error, which names the column.
JobFilter filterNamed(const std::string& text);

/// `text` as one word of a shell's command line, whatever is in it.
std::string shellWord(std::string_view text);

/// Where the options say that the configuration comes from.
ConfigSources sourcesOf(const Options& options);

/// Names the configuration of a command line that names neither a Redis nor a configuration: the
/// one of RESTANTE_CONFIG; else, unless --set names the store (state_dir), that of the installed
/// service: restante/restante.toml in the etc of the program's own prefix or in /etc. None when
/// there is no such file. Denied when it is there and this user may not read it: the defaults would
/// lead to another store.
Result<void> applyDefaultConfig(Options& options);

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
