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

/// What is typed meanwhile does not show.
class SilentTerminal {
public:
    SilentTerminal()
    {
        if (tcgetattr(STDIN_FILENO, &before_) == 0) {
            auto silent = before_;
            silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
            changed_ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0;
        }
    }
    SilentTerminal(const SilentTerminal&) = delete;
    SilentTerminal& operator=(const SilentTerminal&) = delete;
    ~SilentTerminal()
    {
        if (changed_) {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
        }
    }

private:
    termios before_{};
    bool changed_ = false;
};

std::optional<std::string> askFor(const char* what)
{
    const bool person = isatty(STDIN_FILENO) != 0;
    std::optional<SilentTerminal> silent;
    if (person) {
        fmt::print(stderr, "{}: ", what);
        silent.emplace();
    }
    std::string line;
    const bool read = static_cast<bool>(std::getline(std::cin, line));
    if (person) {
        fmt::print(stderr, "\n");
    }
    return read && !line.empty() ? std::optional{line} : std::nullopt;
}

Result<std::string> readPassword()
{
    auto password = askFor("Password");
    if (!password) {
        return invalid("no password came on standard input");
    }
    // Who cannot see what they type may have mistyped it.
    if (isatty(STDIN_FILENO) != 0 && askFor("Once more") != password) {
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
        const auth::UserLine made{account.user, realm, algorithm,
                                  auth::ha1Of(algorithm, account.user, realm, *password)};
        // The daemon must be able to read what is printed here.
        const auto line = auth::parseUserLine(made.print());
        if (!line || line->user != account.user) {
            return fail({ErrorCode::Invalid,
                         "USER and DOMAIN must not be empty or hold a space, a quote, a backslash, "
                         "a control character or (USER) a colon"},
                        options);
        }
        lines.push_back(made.print());
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
