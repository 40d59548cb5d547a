#include "core/auth/ha1.h"
#include "core/base/text.h"
#include "core/cli/command.h"

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

/// Switches the terminal's echo off during its lifetime.
class NoEchoTerminal {
public:
    NoEchoTerminal()
    {
        if (tcgetattr(STDIN_FILENO, &savedSettings_) == 0) {
            auto noEcho = savedSettings_;
            noEcho.c_lflag &= ~static_cast<tcflag_t>(ECHO);
            changed_ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &noEcho) == 0;
        }
    }
    NoEchoTerminal(const NoEchoTerminal&) = delete;
    NoEchoTerminal& operator=(const NoEchoTerminal&) = delete;
    ~NoEchoTerminal()
    {
        if (changed_) {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &savedSettings_);
        }
    }

private:
    termios savedSettings_{};
    bool changed_ = false;
};

std::optional<std::string> promptFor(const char* prompt)
{
    const bool isTerminal = isatty(STDIN_FILENO) != 0;
    std::optional<NoEchoTerminal> noEcho;
    if (isTerminal) {
        fmt::print(stderr, "{}: ", prompt);
        noEcho.emplace();
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
