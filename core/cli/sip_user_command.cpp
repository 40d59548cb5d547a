#include "core/auth/ha1.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/terminal_signals.h"

#include <csignal>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <termios.h>
#include <unistd.h>

namespace restante::cli {

namespace {

struct Account {
    std::string user;
    std::string domain;
};

// A global, because signal handlers have no object.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
termios terminalWithEcho{};

/// Async-signal-safe. Throws away what was typed and not read: half a password is no command.
void switchEchoOn() noexcept
{
    // In the background it would stop the program, and the terminal is the shell's.
    const auto foreground = tcgetpgrp(STDIN_FILENO);
    if (foreground == -1 || foreground == getpgrp()) {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminalWithEcho);
    }
}

/// Async-signal-safe.
void switchEchoOff() noexcept
{
    auto noEcho = terminalWithEcho;
    noEcho.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &noEcho);
}

extern "C" void onEndSignalAtPrompt(int signal) noexcept
{
    switchEchoOn();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

extern "C" void onStopSignalAtPrompt(int signal) noexcept
{
    switchEchoOn();
    stopByDefault(signal, onStopSignalAtPrompt);
    switchEchoOff();
}

/// Switches the terminal's echo off during its lifetime. It is back on also when SIGINT, SIGTERM,
/// SIGHUP or SIGQUIT ends the program, and while that is stopped (SIGTSTP). One at a time.
class NoEchoTerminal {
public:
    NoEchoTerminal()
    {
        if (tcgetattr(STDIN_FILENO, &terminalWithEcho) != 0) {
            return;
        }
        hasTerminal_ = true;
        for (const auto signal : kEndingSignals) {
            setUnlessIgnored(signal, onEndSignalAtPrompt);
        }
        setUnlessIgnored(SIGTSTP, onStopSignalAtPrompt);
        switchEchoOff();
    }
    NoEchoTerminal(const NoEchoTerminal&) = delete;
    NoEchoTerminal& operator=(const NoEchoTerminal&) = delete;
    ~NoEchoTerminal()
    {
        if (!hasTerminal_) {
            return;
        }
        setUnlessIgnored(SIGTSTP, SIG_DFL);  // first: its handler ends by switching the echo off
        switchEchoOn();
        for (const auto signal : kEndingSignals) {
            setUnlessIgnored(signal, SIG_DFL);
        }
    }

private:
    bool hasTerminal_ = false;
};

std::optional<std::string> promptFor(const char* prompt)
{
    const bool isTerminal = isatty(STDIN_FILENO) != 0;
    std::optional<NoEchoTerminal> noEcho;
    if (isTerminal) {
        noEcho.emplace();
        fmt::print(stderr, "{}: ", prompt);
    }
    std::string line;
    const bool wasRead = static_cast<bool>(std::getline(std::cin, line));
    if (isTerminal) {
        fmt::print(stderr, "\n");
    }
    return wasRead && !line.empty() ? std::optional{line} : std::nullopt;
}

Result<std::string> readPassword()
{
    auto password = promptFor("Password");
    if (!password) {
        return invalid("no password came on standard input");
    }
    // Asked twice, because typing errors do not show.
    if (isatty(STDIN_FILENO) != 0 && promptFor("Once more") != password) {
        return invalid("the two passwords differ");
    }
    return *password;
}

int printUserLines(const Options& options, const Account& account)
{
    const auto realm = lowered(account.domain);
    const auto password = readPassword();
    if (!password) {
        return fail(password.error(), options);
    }
    auto lines = nlohmann::json::array();
    for (const auto algorithm : {HashAlgorithm::Sha256, HashAlgorithm::Md5}) {
        const auth::UserLine userLine{account.user, realm, algorithm,
                                      auth::ha1Of(algorithm, account.user, realm, *password)};
        // The daemon must be able to read what is printed here.
        const auto line = auth::parseUserLine(userLine.toString());
        if (!line || line->user != account.user) {
            return fail({ErrorCode::Invalid,
                         "USER and DOMAIN must not be empty or hold a space, a quote, a backslash, "
                         "a control character or (USER) a colon"},
                        options);
        }
        lines.push_back(userLine.toString());
    }
    if (options.json) {
        printJson({{"lines", lines}});
        return kExitOk;
    }
    for (const auto& line : lines) {
        fmt::print("{}\n", line.get<std::string>());
    }
    return kExitOk;
}

}  // namespace

void addSipUser(CommandLine& commands)
{
    auto [command, account] = commands.add(
        "sip-user", "Lines for sip.auth.users: the hashes of a password read from standard input",
        printUserLines);
    command.option("USER", &account.user, "What stands before the @ of the address",
                   {.required = true});
    command.option("DOMAIN", &account.domain, "What stands behind it, as in sip.domain",
                   {.required = true});
}

}  // namespace restante::cli
