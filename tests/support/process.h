#pragma once

#include "core/base/clock.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace restante::test {

/// How long a test waits at most for another process, which may share two busy cores with many
/// others.
constexpr Millis kProcessTimeout{30'000};

/// The output of a program, and its exit status or 128 + the signal. *Value.*
struct Finished {
    int status = 0;
    std::string output;
    std::string errors;
};

/// A child process with pipes, in a process group of its own. The destructor kills the group; if
/// the test itself dies, the kernel kills the child. *One thread.*
class Process {
public:
    struct Command {
        std::vector<std::string> words;  ///< the program and its arguments
        std::vector<std::pair<std::string, std::string>> environment;  ///< added to our own
        std::filesystem::path directory;                               ///< empty = ours
    };

    /// Throws when the program cannot be started; one that does not exist ends with 127.
    explicit Process(Command command);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process();

    pid_t id() const noexcept;
    bool running();

    /// The first line of its output (either stream) that contains `text`, or nothing when it has
    /// not come within `timeout` or the process has closed its output without it.
    std::optional<std::string> waitForLine(std::string_view text, Millis timeout = kProcessTimeout);
    /// The exit status, or 128 + the signal; nothing when it still runs after `timeout`.
    std::optional<int> waitForExit(Millis timeout = kProcessTimeout);

    void write(std::string_view text);  ///< to its standard input
    void closeInput() noexcept;
    void signal(int number) noexcept;  ///< to the process, not to its group
    void kill9() noexcept;             ///< SIGKILL to the process, and waits for its end

    std::string output() const;  ///< what came on standard output until now
    std::string errors() const;
    std::string allOutput() const { return output() + errors(); }  ///< for a failure's message

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Runs `command` to its end. Throws when it still runs after `timeout`.
Finished run(Process::Command command, Millis timeout = kProcessTimeout);

/// Runs a program that prepares a test, in /tmp, which every user may enter. Throws when it fails.
void mustRun(const std::vector<std::string>& words);

/// A program of this build, e.g. "restanted".
std::filesystem::path builtProgram(std::string_view name);

/// The project's source tree.
std::filesystem::path sourceDirectory();

}  // namespace restante::test
